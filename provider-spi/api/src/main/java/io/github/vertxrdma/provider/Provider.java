package io.github.vertxrdma.provider;

import java.util.List;
import java.util.ServiceLoader;

/** Provider of devices, found with {@link ServiceLoader}. */
public interface Provider {

  String name();

  /**
   * Searches for devices. May block for about 100 ms. Called again while devices are missing for the moment; names stay the same. Throws
   * only an {@link IllegalCallerException} (native access is denied) or a {@link LinkageError}; {@link Discovery#by} catches them.
   */
  Discovery discover(DiscoveryOptions options);

  /**
   * Returns whether only this provider has that device or fabric. If it is forced, no other provider is asked. Called off the event loop.
   */
  default boolean owns(String fabric) {
    return false;
  }

  /**
   * Returns whether other providers have the same devices here. This one is then asked only if a fabric is named, or if a peer listens on a
   * fabric that no other provider has. Called off the event loop.
   */
  default boolean isFallback(DiscoveryOptions options) {
    return false;
  }

  static List<Provider> all() {
    SystemError.prepare();
    return ServiceLoader.load(Provider.class, Provider.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
  }
}
