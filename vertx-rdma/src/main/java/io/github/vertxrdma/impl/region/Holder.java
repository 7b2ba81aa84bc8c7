package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionHolder;
import io.vertx.core.Future;
import java.util.Set;

/** The owner's record of one open or grant. */
final class Holder {
  final RegionPeer peer;
  final OwnedRegion region;
  final long handle;
  final Set<RegionAccess> access;
  /** The registration made for a grant; null for an open, which uses the region's. */
  final Exposure own;
  /** Set with the first attempt to take it back; guarded by the region. */
  Future<Void> revoking;

  Holder(RegionPeer peer, OwnedRegion region, long handle, Set<RegionAccess> access, Exposure own) {
    this.peer = peer;
    this.region = region;
    this.handle = handle;
    this.access = Set.copyOf(access);
    this.own = own;
  }

  boolean lent() {
    return own != null;
  }

  RegionHolder info() {
    return new RegionHolder(peer.nodeId(), peer.address(), peer.domain().device().name(), access, lent());
  }
}
