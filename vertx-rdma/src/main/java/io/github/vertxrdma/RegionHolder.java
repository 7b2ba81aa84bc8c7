package io.github.vertxrdma;

import java.util.Set;

/**
 * A peer that holds a region's key.
 *
 * @param nodeId its node; empty if unknown
 * @param address its address on the fabric, for people
 * @param device of this side
 * @param access its rights
 * @param granted true if the region was granted, not opened by name
 */
public record RegionHolder(String nodeId, String address, String device, Set<RegionAccess> access, boolean granted) {

  public RegionHolder {
    access = Set.copyOf(access);
  }
}
