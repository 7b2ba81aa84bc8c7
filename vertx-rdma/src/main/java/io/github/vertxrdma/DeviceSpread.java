package io.github.vertxrdma;

/**
 * Rule that selects the first device for a new connection when several belong to one fabric, such as the adapters of a host. With each
 * value, devices without a link or that recently failed to reach the peer are tried last.
 */
public enum DeviceSpread {
  /** All connections use the first device, ordered by requested host, speed, NUMA node and name. The others are used if that one fails. */
  NONE,
  /** The peer's node id selects the device for all connections to it. */
  PEER,
  /** The event loop selects the device for all its connections, in rotation. */
  LOOP,
  /**
   * Connections of an event loop use a device on the NUMA node to which its thread is bound, for example by {@code numactl}. Without such a
   * binding or device they use the device of {@link #NONE}.
   */
  NUMA
}
