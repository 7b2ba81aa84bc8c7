package io.github.vertxrdma;

import java.util.Set;

/**
 * Peer that has opened a region, or to which it was granted.
 *
 * @param nodeId empty if unknown
 * @param address of the peer on the fabric, for people
 * @param device of this node that the peer's connection uses
 * @param granted true if the region was granted, not opened by name
 */
public record RegionHolder(String nodeId, String address, String device, Set<RegionAccess> access, boolean granted) {

  public RegionHolder {
    access = Set.copyOf(access);
  }
}
