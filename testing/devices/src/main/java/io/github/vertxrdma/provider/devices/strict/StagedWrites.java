package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Plain writes that completed before their delivery. Their copies are posted some polls later, or before the next post if the device
 * promises that order.
 */
final class StagedWrites {
  static final int LONGEST = 16 << 10;
  private static final int MOST = 8;
  private static final int TURNS = 3;

  private final StrictDomain domain;
  private final ArrayDeque<Staged> waiting = new ArrayDeque<>();
  private final ArrayDeque<MemoryRegion> free = new ArrayDeque<>();
  /** Memory of posted writes by request id. */
  private final Map<Long, MemoryRegion> posted = new HashMap<>();
  private final WorkRequest request = new WorkRequest();
  private int regions;
  private int turns;

  private record Staged(long id, MemoryRegion copy, long length, StrictRemote remote, long remoteOffset, int due) {
  }

  StagedWrites(StrictDomain domain) {
    this.domain = domain;
  }

  int waiting() {
    return waiting.size();
  }

  /** Copies a write, to be posted later. @return false if no staging memory is free */
  boolean stage(long id, MemorySegment from, StrictRemote remote, long remoteOffset) {
    if (free.isEmpty() && regions < MOST) {
      regions++;
      free.add(domain.staging(LONGEST));
    }
    MemoryRegion copy = free.poll();
    if (copy == null) {
      return false;
    }
    MemorySegment.copy(from, 0, copy.segment(), 0, from.byteSize());
    waiting.add(new Staged(id, copy, from.byteSize(), remote, remoteOffset, turns + TURNS));
    return true;
  }

  void turn(Endpoint raw) {
    turns++;
    while (!waiting.isEmpty() && waiting.peek().due <= turns && post(raw)) {
    }
  }

  /** Posts all waiting writes. @return false if the device is busy */
  boolean drain(Endpoint raw) {
    while (!waiting.isEmpty()) {
      if (!post(raw)) {
        return false;
      }
    }
    return true;
  }

  private boolean post(Endpoint raw) {
    Staged first = waiting.peek();
    int status = raw.post(request.write(first.copy, 0, first.length, first.remote.raw, first.remoteOffset).id(first.id)
      .flags(PostFlags.SIGNALED));
    if (status == Status.AGAIN) {
      return false;
    }
    waiting.poll();
    if (status != Status.OK) {
      free.add(first.copy); // the write is lost: its completion does not promise delivery
    } else {
      posted.put(first.id, first.copy);
    }
    return true;
  }

  /** @return false for ids of other work */
  boolean completed(long id) {
    MemoryRegion copy = posted.remove(id);
    return copy != null && free.add(copy);
  }

  void clear() {
    waiting.clear();
  }
}
