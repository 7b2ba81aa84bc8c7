package io.github.vertxrdma.impl.region;

/** Effect of a region frame in the state that it finds. */
public enum Effect {
  /** It does what it is for, if its rights and range allow. */
  EXECUTED,
  /** There is nothing to do, and the answer says that it is done. */
  ANSWERED,
  /** The answer says why not. */
  REFUSED,
  /** Nothing. */
  IGNORED,
  /** The link ends. */
  VIOLATION
}
