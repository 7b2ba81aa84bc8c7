package io.github.vertxrdma.simulator.world;

public enum Fault {
  /** A post was refused temporarily. */
  POST_REFUSED(false),
  /** A receive was refused temporarily. */
  RECEIVE_REFUSED(false),
  /** A post was refused permanently. */
  LIMIT(true),
  /** A message or an access ended with an error. */
  ERROR(true),
  /** Messages in flight were lost with their sender. */
  TAIL_LOST(false),
  /** Two nodes were cut off from each other. */
  CUT(true),
  /** The device of a node transferred nothing. */
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

  /** True if connections of the affected nodes may end because of the fault. */
  public final boolean excuses;

  Fault(boolean excuses) {
    this.excuses = excuses;
  }
}
