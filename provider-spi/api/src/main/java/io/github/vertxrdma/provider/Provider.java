package io.github.vertxrdma.provider;

import java.util.List;
import java.util.ServiceLoader;

/** Source of devices, found with {@link ServiceLoader}. */
public interface Provider {

  String name();

  /**
   * Searches for devices. May block for about 100 ms. Called again while devices are
   * {@linkplain Discovery.Unavailable#temporary temporarily unavailable}; a device keeps its name.
   *
   * @throws IllegalCallerException if native access is denied
   * @throws LinkageError if native code cannot be loaded
   */
  Discovery discover(DiscoveryOptions options);

  /** Returns whether only this provider can have this device or fabric. If a setting names it, no other provider is searched. May block. */
  default boolean owns(String fabric) {
    return false;
  }

  /**
   * Returns whether other providers have the same devices. Such a provider is searched only if a setting names a fabric, or a peer listens
   * on a fabric that no other provider has. May block.
   */
  default boolean isFallback(DiscoveryOptions options) {
    return false;
  }

  static List<Provider> all() {
    SystemError.prepare();
    return ServiceLoader.load(Provider.class, Provider.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
  }
}
