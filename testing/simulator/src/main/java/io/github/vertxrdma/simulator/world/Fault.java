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
  /** Two nodes could not reach each other. */
  CUT(true),
  /** The device of a node transferred nothing. */
  OUTAGE(true),
  STOPPED(true),
  KILLED(true),
  /** A node closed its objects. */
  CLOSED(true),
  /** A new process took over the address of a dead node. */
  CAME_BACK(false),
  /** A closed endpoint still used memory, because its requests had not completed. */
  KEPT_MEMORY(false),
  /** A peer sent invalid or false data. */
  LIE(false);

  /** True if connections of the affected nodes may end because of the fault. */
  public final boolean excuses;

  Fault(boolean excuses) {
    this.excuses = excuses;
  }
}
