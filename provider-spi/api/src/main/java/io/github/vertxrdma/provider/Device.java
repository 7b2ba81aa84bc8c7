package io.github.vertxrdma.provider;

/** A device that was found, with what it says of itself. Immutable; used from any thread. */
public interface Device {

  /** The provider's name. */
  String provider();

  /** The name a user gives and reads, unique in the process: {@code tcp}, {@code shm}, {@code verbs:siw0}. */
  String name();

  /**
   * The wire that two ends must share: equal strings can talk if the {@link #reach} allows. It is what the directory carries,
   * so it is the same on every version of a library that understands the other. The device's own name unless it says otherwise.
   */
  default String fabric() {
    return name();
  }

  EndpointType endpointType();

  /** The reach of its connections. */
  Reach reach();

  /**
   * What two ends must share beyond {@link #fabric} and {@link #reach}, as the directory carries it beside each address: equal strings
   * can talk. A subnet, the prefix of a GID, the device and inode of a folder; empty where routing decides, or what {@link Reach} says
   * is all. It may change while the device is open, and asking may take a system call.
   */
  default String subnet() {
    return "";
  }

  /** The NUMA node that it hangs on; -1 where nothing tells. Asking may take a system call. */
  default int numaNode() {
    return -1;
  }

  /** Rank by which a device is preferred when several would do. */
  Preference preference();

  /** As advertised; a domain's own are what the self-test found. */
  Capabilities capabilities();

  Limits limits();

  /**
   * Opens it and tests what it claims. May block: call it off the event loop.
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
    /** The kernel's, used directly. */
    SOCKETS,
    /** Connected endpoints of a library, over sockets or unknown devices. */
    MSG,
    /** Reliable datagrams of a library, over sockets or unknown devices. */
    RDM,
    /** Made to try things out. */
    TRIAL
  }
}
