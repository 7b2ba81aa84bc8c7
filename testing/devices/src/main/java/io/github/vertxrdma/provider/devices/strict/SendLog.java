package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Work requests of an endpoint, which complete in order. A send queue entry becomes free only with a completion that covers it. */
final class SendLog {
  private final StrictQueue queue;
  private final StrictEndpoint endpoint;
  private final ArrayDeque<StrictWork> order = new ArrayDeque<>();
  private final Map<Long, StrictWork> byId = new HashMap<>();
  private final List<StrictWork> silent = new ArrayList<>();
  private int used;
  private int reads;

  SendLog(StrictQueue queue, StrictEndpoint endpoint) {
    this.queue = queue;
    this.endpoint = endpoint;
  }

  int used() {
    return used;
  }

  int reads() {
    return reads;
  }

  int outstanding() {
    return used - silent.size();
  }

  int oneSided() {
    int number = 0;
    for (StrictWork work : order) {
      number += work.operation.isOneSided() && !work.done ? 1 : 0;
    }
    return number;
  }

  void add(StrictWork work) {
    order.add(work);
    byId.put(work.id, work);
    used++;
    reads += work.operation.isRead() ? 1 : 0;
  }

  StrictWork byId(long id) {
    return byId.get(id);
  }

  void complete(StrictWork work, int status, String error) {
    if (work.done) {
      return;
    }
    work.done = true;
    work.status = status;
    work.error = error;
    deliver();
  }

  private void deliver() {
    for (StrictWork first; (first = order.peek()) != null && first.done;) {
      order.poll();
      byId.remove(first.id);
      if (!first.signaled && first.status == Status.OK) {
        silent.add(first);
        continue;
      }
      int readSlots = first.operation.isRead() ? 1 : 0;
      for (StrictWork covered : silent) {
        readSlots += covered.operation.isRead() ? 1 : 0;
      }
      ready(first, first.status, first.error, silent.size() + 1, readSlots);
      silent.clear();
    }
  }

  private void ready(StrictWork work, int status, String error, int slots, int readSlots) {
    queue.ready(new StrictQueue.Ready(Completion.of(work.requestId, work.operation, endpoint, status, error), slots, readSlots));
  }

  /** Completes unsignalled work as flushed, because no later completion covers it. */
  void flushSilent(String why) {
    for (StrictWork work : silent) {
      ready(work, Status.FLUSHED, why, 1, work.operation.isRead() ? 1 : 0);
    }
    silent.clear();
  }

  /** Completes all work as flushed that the wrapped device left incomplete. */
  void flush(String why) {
    flushSilent(why);
    for (StrictWork work : List.copyOf(order)) {
      complete(work, Status.FLUSHED, why);
    }
  }

  void drained(int slots, int readSlots) {
    used -= slots;
    reads -= readSlots;
  }

  void clear() {
    order.clear();
    byId.clear();
    silent.clear();
    used = 0;
    reads = 0;
  }

  static final class StrictWork {
    /** Request id of the post on the wrapped endpoint. */
    final long id;
    final long requestId;
    final Operation operation;
    final boolean signaled;
    boolean done;
    int status = Status.OK;
    String error;
    private MemorySegment[] source;
    private long checksum;

    StrictWork(long id, WorkRequest request) {
      this.id = id;
      requestId = request.id();
      operation = request.operation();
      signaled = (request.flags() & PostFlags.SIGNALED) != 0;
    }

    void watch(MemorySegment... ranges) {
      source = ranges;
      checksum = checksum(ranges);
    }

    boolean untouched() {
      return source == null || checksum(source) == checksum;
    }

    private static long checksum(MemorySegment[] ranges) {
      CRC32 crc = new CRC32();
      for (MemorySegment range : ranges) {
        ByteBuffer bytes = range.asByteBuffer();
        crc.update(bytes);
      }
      return crc.getValue();
    }
  }
}
