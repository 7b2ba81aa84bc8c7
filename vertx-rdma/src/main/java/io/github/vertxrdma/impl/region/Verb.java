package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;

/** Calls on a remote region, with the right that each needs. After a failed call that changes memory the outcome is unknown. */
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
