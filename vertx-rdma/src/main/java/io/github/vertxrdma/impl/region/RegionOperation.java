package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;

enum RegionOperation {
  READ("read", RegionAccess.READ, 1),
  CONSISTENT_READ("consistent read", RegionAccess.READ, Long.BYTES),
  VIEW("view", RegionAccess.READ, 1),
  WRITE("write", RegionAccess.WRITE, 1),
  NOTIFIED_WRITE("notified write", RegionAccess.WRITE, 1),
  FETCH_ADD("fetch-and-add", RegionAccess.ATOMIC, Long.BYTES),
  COMPARE_EXCHANGE("compare-and-exchange", RegionAccess.ATOMIC, Long.BYTES);

  final String text;
  final RegionAccess needs;
  /** Number of which the offset must be a multiple. */
  final int align;

  RegionOperation(String text, RegionAccess needs, int align) {
    this.text = text;
    this.needs = needs;
    this.align = align;
  }

  boolean changesMemory() {
    return needs != RegionAccess.READ;
  }

  @Override
  public String toString() {
    return text;
  }
}
