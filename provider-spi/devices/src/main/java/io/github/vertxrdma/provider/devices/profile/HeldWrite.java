package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

/** A write that later posts overtake. */
final class HeldWrite {
  final long requestId;
  final long peer;
  private final MemoryRegion region;
  private final long offset;
  private final long length;
  private final ScatterGather list;
  private final RemoteMemory remote;
  private final long remoteOffset;
  private final int flags;
  private int turns;

  /** @param list what to gather instead of a range, null for the range */
  HeldWrite(long requestId, long peer, MemoryRegion region, long offset, long length, ScatterGather list, RemoteMemory remote,
    long remoteOffset, int flags, int turns) {
    this.requestId = requestId;
    this.peer = peer;
    this.region = region;
    this.offset = offset;
    this.length = length;
    this.list = list;
    this.remote = remote;
    this.remoteOffset = remoteOffset;
    this.flags = flags;
    this.turns = turns;
  }

  /** Whether it has waited long enough. */
  boolean due() {
    return --turns <= 0;
  }

  int post(RdmEndpoint endpoint) {
    return list != null ? endpoint.postWrite(requestId, peer, list, remote, remoteOffset, flags)
      : endpoint.postWrite(requestId, peer, region, offset, length, remote, remoteOffset, flags);
  }
}
