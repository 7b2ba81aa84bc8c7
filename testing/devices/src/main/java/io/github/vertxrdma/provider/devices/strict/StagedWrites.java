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
  static final int SLOT = 16 << 10;
  private static final int SLOTS = 8;
  private static final int TURNS = 3;

  private final StrictDomain domain;
  private final ArrayDeque<Staged> waiting = new ArrayDeque<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  /** Slots of posted writes by request id. */
  private final Map<Long, Integer> posted = new HashMap<>();
  private final WorkRequest request = new WorkRequest();
  private MemoryRegion slab;

  private static final class Staged {
    final long id;
    final int slot;
    final long length;
    final StrictRemote remote;
    final long remoteOffset;
    int turns = TURNS;

    Staged(long id, int slot, long length, StrictRemote remote, long remoteOffset) {
      this.id = id;
      this.slot = slot;
      this.length = length;
      this.remote = remote;
      this.remoteOffset = remoteOffset;
    }
  }

  StagedWrites(StrictDomain domain) {
    this.domain = domain;
  }

  int waiting() {
    return waiting.size();
  }

  /** Copies a write, to be posted later. @return false if no staging memory is free */
  boolean stage(long id, MemorySegment from, StrictRemote remote, long remoteOffset) {
    if (slab == null) {
      slab = domain.staging((long) SLOT * SLOTS);
      for (int i = 0; i < SLOTS; i++) {
        free.add(i);
      }
    }
    if (free.isEmpty()) {
      return false;
    }
    int slot = free.poll();
    MemorySegment.copy(from, 0, slab.segment(), (long) slot * SLOT, from.byteSize());
    waiting.add(new Staged(id, slot, from.byteSize(), remote, remoteOffset));
    return true;
  }

  void turn(Endpoint raw) {
    while (!waiting.isEmpty() && --waiting.peek().turns <= 0 && post(raw)) {
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
    int status = raw.post(request.write(slab, (long) first.slot * SLOT, first.length, first.remote.raw, first.remoteOffset)
      .id(first.id).flags(PostFlags.SIGNALED));
    if (status == Status.AGAIN) {
      return false;
    }
    waiting.poll();
    if (status != Status.OK) {
      free.add(first.slot); // the write is lost: its completion does not promise delivery
    } else {
      posted.put(first.id, first.slot);
    }
    return true;
  }

  /** @return false for ids of other work */
  boolean completed(long id) {
    Integer slot = posted.remove(id);
    return slot != null && free.add(slot);
  }

  void clear() {
    waiting.clear();
  }
}
