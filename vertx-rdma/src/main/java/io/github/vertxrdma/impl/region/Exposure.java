package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;

/** A region's registration on one device, whose key peers have. */
record Exposure(Domain domain, MemoryRegion registration) {

  RegionToken token() {
    return RegionToken.of(registration);
  }
}
