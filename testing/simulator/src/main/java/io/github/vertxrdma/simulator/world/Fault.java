package io.github.vertxrdma.simulator.world;

public enum Fault {
  /** A post was refused for now. */
  POST_REFUSED(false),
  /** A receive was refused for now. */
  RECEIVE_REFUSED(false),
  /** A post was refused for good. */
  LIMIT(true),
  /** A message or an access ended with an error. */
  ERROR(true),
  /** Messages in flight were lost with their sender. */
  TAIL_LOST(false),
  /** Two nodes were cut off from each other. */
  CUT(true),
  /** The device of a node carried nothing. */
  OUTAGE(true),
  /** A node was stopped. */
  STOPPED(true),
  /** A node died. */
  KILLED(true),
  /** A node closed its objects. */
  CLOSED(true),
  /** A node came back on its address. */
  CAME_BACK(false),
  /** The fabric kept memory beyond the end of an endpoint. */
  KEPT_MEMORY(false),
  /** A peer sent invalid or false data. */
  LIE(false);

  /** True if the fault is a reason for connections of the nodes that it meets to end. */
  public final boolean excuses;

  Fault(boolean excuses) {
    this.excuses = excuses;
  }
}
