package io.github.vertxrdma;

/** Rights of peers on a memory region. */
public enum RegionAccess {
  READ,
  /** Write, also with a notification of the owner. */
  WRITE,
  /** Fetch-and-add and compare-and-set on aligned 8-byte words. Plain writes must not change these words. */
  ATOMIC
}
