package io.github.vertxrdma.provider;

/** A device that was found, with the attributes that it reports. Immutable; thread-safe. */
public interface Device {

  /** Returns the provider's name. */
  String provider();

  /** Returns the name that users see and configure, unique in the process: {@code tcp}, {@code shm}, {@code verbs:siw0}. */
  String name();

  /**
   * Returns the network that two ends must share: devices with equal strings can communicate if the {@link #reach} allows it. The directory
   * carries this name, so it is the same in every version of a library that understands the other. By default the device's own name.
   */
  default String fabric() {
    return name();
  }

  EndpointType endpointType();

  /** Returns the reach of its connections. */
  Reach reach();

  /**
   * Returns what two ends must share beyond {@link #fabric} and {@link #reach}, as the directory carries it beside each address: devices
   * with equal strings can communicate. A subnet, the prefix of a GID, the device and inode of a folder; empty if routing decides, or if
   * {@link Reach} is sufficient. It may change while the device is open. The call may need a system call.
   */
  default String subnet() {
    return "";
  }

  /**
   * Returns whether an address is in an IP subnet of the device, so that no router is between. Peers are first connected at such addresses.
   * False if it is unknown.
   */
  default boolean isOnSubnet(EndpointAddress address) {
    return false;
  }

  /** Returns whether the device has the address {@link DiscoveryOptions#host}, which ranks it before others of its kind. */
  default boolean hasRequestedAddress() {
    return false;
  }

  /** Returns the speed of the link in bits per second, or 0 if it is unknown. */
  default long speed() {
    return 0;
  }

  /** Returns the NUMA node of the device, or -1 if it is unknown. The call may need a system call. */
  default int numaNode() {
    return -1;
  }

  /** Returns the rank of the device when several are possible. */
  Preference preference();

  /** Returns the advertised capabilities; a domain has those that the self-test found. */
  Capabilities capabilities();

  Limits limits();

  /**
   * Opens the device and tests its capabilities. May block: call it off the event loop.
   *
   * @throws ProviderException if it cannot be opened, with errno, device and remedy
   */
  Domain open();

  /** The reach of a device's connections. */
  enum Reach {
    /** Within this process. */
    PROCESS,
    /** Processes on one host that have the same {@link Device#subnet}. */
    HOST,
    /** Any host that the address can be routed to. */
    NETWORK
  }

  /** Default rank, best first. */
  enum Preference {
    SHARED_MEMORY, RDMA_HARDWARE,
    /** Sockets of the kernel, used directly. */
    SOCKETS,
    /** Connected endpoints of a library, over sockets or unknown devices. */
    MSG,
    /** Reliable datagrams of a library, over sockets or unknown devices. */
    RDM,
    /** Devices for tests. */
    TRIAL
  }
}
