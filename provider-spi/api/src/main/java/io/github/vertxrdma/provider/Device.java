package io.github.vertxrdma.provider;

import java.nio.file.Path;
import java.util.List;

/** A device that was found. Immutable; thread-safe. */
public interface Device {

  String provider();

  /** Returns the name that users configure, unique in the process: {@code tcp}, {@code verbs:siw0}. */
  String name();

  /**
   * Returns the network: devices with equal strings can communicate if the {@link #reach} allows it. Compatible versions of a library use
   * the same string.
   */
  default String fabric() {
    return name();
  }

  EndpointType endpointType();

  Reach reach();

  /**
   * Returns what two ends must share beyond {@link #fabric} and {@link #reach}, such as a subnet or the prefix of a GID. Empty if there is
   * nothing, or if routing decides. It may change while the device is open. May make a system call.
   */
  default String subnet() {
    return "";
  }

  /** Returns whether an address is known to be in an IP subnet of the device. Peers are connected there first. */
  default boolean isOnSubnet(EndpointAddress address) {
    return false;
  }

  default boolean hasRequestedAddress() {
    return false;
  }

  /** Returns bits per second, or 0 if the speed is unknown. */
  default long speed() {
    return 0;
  }

  /**
   * Returns the folders in which each file has the value of one counter of the adapter, named as the counter; empty if there are none. The
   * call needs system calls. A read of such a file may take milliseconds, since some drivers ask the adapter.
   */
  default List<Path> counterFolders() {
    return List.of();
  }

  /** Returns the NUMA node, or -1 if it is unknown. May make a system call. */
  default int numaNode() {
    return -1;
  }

  Preference preference();

  /** Returns the capabilities; a domain may have fewer. */
  Capabilities capabilities();

  Limits limits();

  /**
   * Opens the device and tests its capabilities. May block.
   *
   * @throws ProviderException with errno, device and remedy
   */
  Domain open();

  enum Reach {
    PROCESS,
    /** Processes on one host with the same {@link Device#subnet}. */
    HOST,
    NETWORK
  }

  /** Rank, best first. */
  enum Preference {
    SHARED_MEMORY, RDMA_HARDWARE,
    /** Sockets of the kernel, used directly. */
    SOCKETS,
    MSG,
    RDM,
    TRIAL
  }
}
