package io.github.vertxrdma.provider;

import java.util.List;
import java.util.ServiceLoader;

/** Source of devices, found with {@link ServiceLoader}. */
public interface Provider {

  String name();

  /**
   * Searches for devices. May block for about 100 ms. Called again while devices are
   * {@linkplain Discovery.Unavailable#temporary temporarily unavailable}; device names stay.
   *
   * @throws IllegalCallerException if native access is denied
   * @throws LinkageError if native code cannot be loaded
   */
  Discovery discover(DiscoveryOptions options);

  /**
   * Returns whether only this provider can have a device or fabric. If a setting forces that name, no other provider is asked. May block.
   */
  default boolean owns(String fabric) {
    return false;
  }

  /**
   * Returns whether other providers have the same devices. Such a provider is asked only if a fabric is named, or if a peer listens on a
   * fabric that no other provider has. May block.
   */
  default boolean isFallback(DiscoveryOptions options) {
    return false;
  }

  static List<Provider> all() {
    SystemError.prepare();
    return ServiceLoader.load(Provider.class, Provider.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
  }
}
