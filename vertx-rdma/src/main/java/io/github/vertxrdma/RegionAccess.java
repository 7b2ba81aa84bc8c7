package io.github.vertxrdma;

/** Rights of peers on a memory region. */
public enum RegionAccess {
  /** Read it. */
  READ,
  /** Write it, and notify its owner of what was written. */
  WRITE,
  /** Use its 8-byte aligned words with fetch-and-add and compare-and-set. A word used so must not be written otherwise. */
  ATOMIC
}
