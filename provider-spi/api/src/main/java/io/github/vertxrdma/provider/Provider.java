package io.github.vertxrdma.provider;

import java.util.List;
import java.util.ServiceLoader;

/** A way to reach devices: a native library, or Java sockets. Found with {@link ServiceLoader}; nothing above the SPI names one. */
public interface Provider {

  /** A short name for messages and tables, such as {@code libfabric}. */
  String name();

  /**
   * Looks for devices. May block for about 100 ms and load native libraries: call it once, off the event loop.
   * Never throws for what is missing on the machine: {@link Discovery#unavailable()} lists it. An {@link IllegalCallerException}, which
   * means that native access is denied to this process, or a {@link LinkageError} is passed on; {@link Discovery#by} catches it.
   */
  Discovery discover(DiscoveryOptions options);

  /**
   * Whether devices of that name, or on that fabric, are this provider's alone: where one is forced, nobody else is asked then. Known
   * without a look for devices; off the event loop.
   */
  default boolean owns(String fabric) {
    return false;
  }

  /**
   * Whether what it may have here others have as well: this machine shows none of the devices that it is made for, and nothing names it. It
   * is then asked where a fabric is named, or where a peer listens on what nobody else has. Known without native code; off the event loop.
   */
  default boolean isFallback(DiscoveryOptions options) {
    return false;
  }

  /** Every provider on the class or module path. */
  static List<Provider> all() {
    SystemError.prepare();
    return ServiceLoader.load(Provider.class, Provider.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
  }
}
