package io.github.vertxrdma;

/**
 * Selects the first device for a new connection when several devices, such as the adapters of a host, belong to one fabric. With each
 * value, devices without a link and devices that recently failed to reach the peer are tried last.
 */
public enum DeviceSpread {
  /** Connections use the first device by requested host, speed, NUMA node and name. The others are used if it fails. */
  NONE,
  /** The peer's node id selects the device for all connections to it. */
  PEER,
  /** The event loop selects the device for all its connections, in rotation. */
  LOOP,
  /**
   * Connections of an event loop use a device on the NUMA node to which its thread is bound, for example by {@code numactl}. Without such
   * a binding or device they use that of {@link #NONE}.
   */
  NUMA
}
