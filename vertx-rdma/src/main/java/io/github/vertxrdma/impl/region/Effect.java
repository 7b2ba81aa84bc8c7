package io.github.vertxrdma.impl.region;

/** Effect of a region frame in a state. */
public enum Effect {
  EXECUTED,
  /** Answered with success, without an effect. */
  ANSWERED,
  REFUSED,
  IGNORED,
  VIOLATION
}
