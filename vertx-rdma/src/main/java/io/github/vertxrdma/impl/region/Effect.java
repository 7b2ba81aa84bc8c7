package io.github.vertxrdma.impl.region;

/** Effect of a region frame in a state. */
public enum Effect {
  /** Executed if rights and range allow. */
  EXECUTED,
  /** Answered with success, without an effect. */
  ANSWERED,
  /** Answered with a reason. */
  REFUSED,
  IGNORED,
  /** The link fails. */
  VIOLATION
}
