package io.github.vertxrdma.provider;

import java.util.List;
import java.util.ServiceLoader;

/** Provider of devices: a native library, or Java sockets. Found with {@link ServiceLoader}; nothing above the SPI names one. */
public interface Provider {

  /** Returns a short name for messages and tables, such as {@code libfabric}. */
  String name();

  /**
   * Searches for devices. May block for about 100 ms and load native libraries: call it off the event loop. It is called again
   * while it reports devices that are missing for the moment, and reports the same names for the same devices. Never throws for what is
   * missing on the machine: {@link Discovery#unavailable()} lists it. An {@link IllegalCallerException}, which means that native access is
   * denied to this process, or a {@link LinkageError} is passed on; {@link Discovery#by} catches it.
   */
  Discovery discover(DiscoveryOptions options);

  /**
   * Returns whether only this provider has devices of that name, or on that fabric. If one is forced, no other provider is asked. Answered
   * without a search for devices; called off the event loop.
   */
  default boolean owns(String fabric) {
    return false;
  }

  /**
   * Returns whether other providers have the same devices here: this machine shows none of the devices that the provider is made for, and
   * nothing names it. It is then asked only if a fabric is named, or if a peer listens on a fabric that no other provider has. Answered
   * without native code; called off the event loop.
   */
  default boolean isFallback(DiscoveryOptions options) {
    return false;
  }

  /** Returns every provider on the class or module path. */
  static List<Provider> all() {
    SystemError.prepare();
    return ServiceLoader.load(Provider.class, Provider.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
  }
}
