package io.github.vertxrdma;

/**
 * Spread of connections over devices of one fabric, such as the adapters of a host. Devices without a link, and those that failed to reach
 * the peer recently, are always tried last.
 */
public enum DeviceSpread {
  /** Connections use the first device by name. The others replace it on failure. */
  NONE,
  /** The peer's node id selects the device for all connections to it. */
  PEER,
  /** The event loop selects the device for all its connections, in rotation. */
  LOOP,
  /**
   * Connections of an event loop use the first device on the NUMA node to which its thread is bound, as by {@code numactl}; without such a
   * binding or device, the first device by name.
   */
  NUMA
}
