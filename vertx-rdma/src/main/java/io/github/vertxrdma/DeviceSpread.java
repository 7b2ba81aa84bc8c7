package io.github.vertxrdma;

/**
 * Rule that selects the first device for a new connection when several belong to one fabric, such as the adapters of a host. With each
 * value, devices without a link or that recently failed to reach the peer are tried last.
 */
public enum DeviceSpread {
  /**
   * The first device in a subnet of the peer's address: first that of {@link RdmaOptions#getHost}, then by speed, NUMA node and name. If it
   * fails, the next one.
   */
  NONE,
  /** The peer's node id selects the device for all connections to it. */
  PEER,
  /** The event loop selects the device for all its connections, in rotation. */
  LOOP
}
