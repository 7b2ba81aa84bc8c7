package io.github.vertxrdma;

/**
 * Rule that selects the first device for a new connection when several belong to one fabric, such as the adapters of a host. Devices that
 * have no link or recently failed to reach the peer are tried last.
 */
public enum DeviceSpread {
  /**
   * The first device in a subnet of the peer's address. The device with the address of {@link RdmaOptions#getHost} comes first, the others
   * by speed, NUMA node and name.
   */
  NONE,
  /** All connections to one peer use one device, which the peer's node id selects. */
  PEER,
  /** All connections of one event loop use one device. Event loops use the devices in rotation. */
  LOOP
}
