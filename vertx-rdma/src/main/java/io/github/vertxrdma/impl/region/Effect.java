package io.github.vertxrdma.impl.region;

/** Effect of a region frame in a state of its handle. */
public enum Effect {
  EXECUTED,
  ANSWERED,
  REFUSED,
  IGNORED,
  VIOLATION
}
