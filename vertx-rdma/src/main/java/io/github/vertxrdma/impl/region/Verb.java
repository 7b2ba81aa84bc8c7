package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;

/**
 * Calls on a remote region: the right that each needs, and whether the owner's memory changes, so that a failure leaves the outcome open.
 */
enum Verb {
  READ("read", RegionAccess.READ),
  CONSISTENT_READ("consistent read", RegionAccess.READ),
  VIEW("view", RegionAccess.READ),
  WRITE("write", RegionAccess.WRITE),
  NOTIFIED_WRITE("notified write", RegionAccess.WRITE),
  FETCH_ADD("fetch-and-add", RegionAccess.ATOMIC),
  COMPARE_EXCHANGE("compare-and-exchange", RegionAccess.ATOMIC);

  final String words;
  final RegionAccess needs;

  Verb(String words, RegionAccess needs) {
    this.words = words;
    this.needs = needs;
  }

  boolean changesMemory() {
    return needs != RegionAccess.READ;
  }

  @Override
  public String toString() {
    return words;
  }
}
