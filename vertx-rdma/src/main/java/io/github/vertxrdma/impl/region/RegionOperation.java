package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;

enum RegionOperation {
  READ("read", RegionAccess.READ),
  CONSISTENT_READ("consistent read", RegionAccess.READ),
  VIEW("view", RegionAccess.READ),
  WRITE("write", RegionAccess.WRITE),
  NOTIFIED_WRITE("notified write", RegionAccess.WRITE),
  FETCH_ADD("fetch-and-add", RegionAccess.ATOMIC),
  COMPARE_EXCHANGE("compare-and-exchange", RegionAccess.ATOMIC);

  final String text;
  final RegionAccess needs;

  RegionOperation(String text, RegionAccess needs) {
    this.text = text;
    this.needs = needs;
  }

  boolean changesMemory() {
    return needs != RegionAccess.READ;
  }

  @Override
  public String toString() {
    return text;
  }
}
