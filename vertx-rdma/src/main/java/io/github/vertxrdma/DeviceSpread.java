package io.github.vertxrdma;

/**
 * The spread of connections over devices of one fabric, such as the adapters of a host. Whatever it says, a device that carries nothing,
 * and one by which the peer was not reached lately, come last.
 */
public enum DeviceSpread {
  /** All take the first, by name; the others stand in for it. */
  NONE,
  /** All connections to one peer take the same, those to another peer perhaps another: its id decides. */
  PEER,
  /** All connections of one event loop take the same, those of the next event loop the next. */
  LOOP,
  /**
   * All connections of one event loop take the first device on the NUMA node whose processors its thread may use, as {@code numactl} says
   * of the process or somebody of the thread; the first by name where it may use those of several nodes, and where no device is on that
   * node or tells.
   */
  NUMA
}
