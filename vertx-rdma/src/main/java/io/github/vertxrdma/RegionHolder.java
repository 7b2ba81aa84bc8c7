package io.github.vertxrdma;

import java.util.Set;

/**
 * A peer that holds a region's key at the moment.
 *
 * @param nodeId its node; empty if it did not say
 * @param address its address on the fabric, for people
 * @param device the device of this side that it comes over
 * @param access what it may do
 * @param granted whether the region was granted to it, rather than opened by it by name
 */
public record RegionHolder(String nodeId, String address, String device, Set<RegionAccess> access, boolean granted) {

  public RegionHolder {
    access = Set.copyOf(access);
  }
}
