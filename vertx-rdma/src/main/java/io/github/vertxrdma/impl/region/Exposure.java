package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registration of a region on one device, for peers. */
record Exposure(Domain domain, MemoryRegion registration) {

  RegionToken token() {
    return RegionToken.of(registration);
  }
}
