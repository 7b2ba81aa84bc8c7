package io.github.vertxrdma.provider;

import java.nio.file.Path;
import java.util.List;

/** Device that a provider has found. Thread-safe. */
public interface Device {

  String provider();

  /** Returns the name for users and settings, unique in the process: {@code tcp}, {@code verbs:siw0}. */
  String name();

  /** Returns the name of the network. Devices with equal names can communicate if their {@link #reach} allows it. */
  default String fabric() {
    return name();
  }

  EndpointType endpointType();

  Reach reach();

  /**
   * Returns a text, such as a subnet or GID prefix, that devices of one {@link #fabric} must share to communicate; empty if none. May
   * change while the device is open. May make a system call.
   */
  default String subnet() {
    return "";
  }

  /** Returns {@link #subnet}, then further texts of which the peer's device may have one instead. The device listens for all of them. */
  default List<String> subnets() {
    return List.of(subnet());
  }

  /** Returns whether an address is known to be in an IP subnet of the device. */
  default boolean isOnSubnet(EndpointAddress address) {
    return false;
  }

  /** Returns whether the device has the address {@link DiscoveryOptions#host}. */
  default boolean hasHostAddress() {
    return false;
  }

  /** Returns bits per second; 0 if unknown. */
  default long speed() {
    return 0;
  }

  /** Returns folders with one file for each counter of the adapter. Makes system calls. Reading a file may take milliseconds. */
  default List<Path> counterFolders() {
    return List.of();
  }

  /** Returns the NUMA node; -1 if unknown. May make a system call. */
  default int numaNode() {
    return -1;
  }

  Preference preference();

  /** Returns capabilities. An opened domain may have fewer. */
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

  /** Kinds of devices, the preferred ones first. */
  enum Preference {
    SHARED_MEMORY, RDMA_HARDWARE,
    /** Adapters with verbs that the kernel executes. Another provider uses these adapters directly. */
    RDMA_SOFTWARE,
    /** Sockets of the kernel, without libfabric. */
    SOCKETS,
    MSG,
    RDM,
    TRIAL
  }
}
