package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The operations of an endpoint. What finds nothing before it and room in the ring is done when it is posted. The rest waits by sequence
 * number, from head (the oldest whose end is unknown) over next (the first not wholly transmitted) to tail, and ends in order.
 */
final class Outgoing {
  private final ShmEndpoint endpoint;
  private final ShmQueue queue;
  private final int depth;
  private final int elements;
  private final int inlineSize;
  private final Answers answers = new Answers(2 * ShmDevice.READS_IN_FLIGHT);
  private Pending[] slots = {};
  private long head;
  private long next;
  private long tail;
  private int readsOutstanding;
  /** Ends that were told in the completion queue and not drained: their places are free only then. */
  private int undrained;
  private long failedSequence = -1;
  private int failedStatus;
  private Runnable finished;
  private long refusedSequence;
  private int refusal;
  private Runnable refused;
  /** A record was published whose bell is to be rung. */
  private boolean published;

  Outgoing(ShmEndpoint endpoint, ShmQueue queue, int depth, int elements, int inlineSize) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.depth = depth;
    this.elements = elements;
    this.inlineSize = inlineSize;
  }

  int depth() {
    return depth;
  }

  int inlineSize() {
    return inlineSize;
  }

  int outstanding() {
    return (int) (tail - head) + undrained;
  }

  Answers answers() {
    return answers;
  }

  // Posting

  int post(WorkRequest request) {
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    long length = request.length();
    if (length > (operation.isOneSided() ? ShmDevice.MAX_TRANSFER : ShmDevice.MAX_MESSAGE)
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize || operation.hasImmediate() && request.immediate() >>> 32 != 0) {
      return Status.LIMIT;
    }
    if (outstanding() >= depth) {
      return Status.AGAIN;
    }
    int status = check(request);
    if (status != Status.OK) {
      return status;
    }
    published = false;
    if (head == tail && refused == null) {
      try {
        if (isDone(request, operation, length)) {
          ended(request, operation, flags, length);
          ring(flags);
          return Status.OK;
        }
      } catch (IllegalStateException | WrongThreadException e) {
        endpoint.memoryGone(e);
        return Status.FAILED;
      }
    }
    return enqueue(request, flags);
  }

  private int enqueue(WorkRequest request, int flags) {
    int i = slot(tail);
    try {
      slots[i].set(request, flags, inlineSize);
    } catch (IllegalStateException | WrongThreadException e) {
      endpoint.memoryGone(e);
      return Status.FAILED;
    }
    tail++;
    advance();
    ring(flags);
    return Status.OK;
  }

  private int slot(long sequence) {
    if (slots.length == 0) {
      slots = new Pending[Integer.highestOneBit(Math.max(1, depth * 2 - 1))];
    }
    int i = (int) sequence & slots.length - 1;
    if (slots[i] == null) {
      slots[i] = new Pending();
    }
    return i;
  }

  private void ring(int flags) {
    if (published) {
      if ((flags & PostFlags.MORE) == 0) {
        endpoint.peering().ring();
      } else {
        endpoint.peering().holdBell();
      }
    }
  }

  private int check(WorkRequest request) {
    ScatterGather list = request.list();
    Operation operation = request.operation();
    if (list == null) {
      int status = element(request.region(), request.offset(), request.length(), operation.isRead());
      return status != Status.OK || !operation.isOneSided() ? status : remote(request);
    }
    if (list.size() > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      int status = element(list.region(i), list.offset(i), list.length(i), false);
      if (status != Status.OK) {
        return status;
      }
    }
    return operation.isOneSided() ? remote(request) : Status.OK;
  }

  private int element(MemoryRegion region, long offset, long length, boolean sink) {
    if (region == null && length == 0) {
      return Status.OK;
    }
    return region instanceof ShmRegion mine && mine.table == queue.domain().regions() && mine.covers(offset, length)
      && (!sink || mine.sink()) ? Status.OK : Status.LOCAL_RANGE;
  }

  private static int remote(WorkRequest request) {
    long offset = request.remoteOffset();
    return request.remote() instanceof ShmRemoteMemory memory && memory.covers(offset, request.length())
      && (!request.operation().isAtomic() || (offset & Long.BYTES - 1) == 0) ? Status.OK : Status.REMOTE_RANGE;
  }

  // Doing at once

  /** Does an operation if nothing hinders it. */
  private boolean isDone(WorkRequest request, Operation operation, long length) {
    Peering peering = endpoint.peering();
    if (!operation.isOneSided()) {
      if (length > peering.longestPayload()) {
        return false;
      }
      int bytes = Record.HEADER + (int) length;
      long at = peering.claim(bytes);
      if (at < 0) {
        return false;
      }
      boolean immediate = operation.hasImmediate();
      peering.header(at, immediate ? Record.SEND | Record.HAS_IMMEDIATE : Record.SEND, endpoint.peerNumber(), (int) request.immediate());
      Pending.copy(request, 0, peering.memory(), at + Record.HEADER, length);
      publish(peering, at, bytes);
      return true;
    }
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    return remote.state() == ShmRemoteMemory.State.MAPPED && permits(remote, request)
      && (operation != Operation.WRITE_IMMEDIATE || hasRoom(peering, 24)) && move(request, remote) && told(peering, request, length);
  }

  private static boolean hasRoom(Peering peering, int bytes) {
    return peering.claim(bytes) >= 0;
  }

  /** Tells the peer of a write with immediate that was done. */
  private boolean told(Peering peering, WorkRequest request, long length) {
    if (request.operation() == Operation.WRITE_IMMEDIATE) {
      long at = peering.claim(24);
      peering.header(at, Record.WRITTEN | Record.HAS_IMMEDIATE, endpoint.peerNumber(), (int) request.immediate());
      Ring.LONG.set(peering.memory(), at + 16, length);
      publish(peering, at, 24);
    }
    return true;
  }

  private static boolean permits(ShmRemoteMemory remote, WorkRequest request) {
    int right = 1 << request.operation().remoteAccess().ordinal();
    return remote.permits(right)
      && (!request.operation().isAtomic() || (remote.mapped().address() + remote.base + request.remoteOffset() & Long.BYTES - 1) == 0);
  }

  /** Carries out an operation on memory that is mapped. */
  private static boolean move(WorkRequest request, ShmRemoteMemory remote) {
    MemorySegment theirs = remote.mapped();
    long at = remote.base + request.remoteOffset();
    switch (request.operation()) {
      case WRITE, WRITE_IMMEDIATE -> Pending.copy(request, 0, theirs, at, request.length());
      case READ -> {
        if (request.length() > 0) {
          MemorySegment.copy(theirs, at, request.region().segment(), request.offset(), request.length());
        }
      }
      case FETCH_ADD -> result(request, (long) Ring.LONG.getAndAdd(theirs, at, request.operand()));
      default -> result(request, (long) Ring.LONG.compareAndExchange(theirs, at, request.operand(), request.swap()));
    }
    return true;
  }

  private static void result(WorkRequest request, long old) {
    request.region().segment().set(ValueLayout.JAVA_LONG_UNALIGNED, request.offset(), old);
  }

  private void publish(Peering peering, long at, int length) {
    peering.publish(at, length);
    published = true;
  }

  private void ended(WorkRequest request, Operation operation, int flags, long length) {
    endpoint.counters().succeeded(operation);
    if ((flags & PostFlags.SIGNALED) != 0) {
      undrained++;
      queue.completions().add(request.id(), operation, endpoint, length);
    }
  }

  // Doing later

  /** Goes on with what waits, and wakes the peer if anything went. */
  void pump() {
    published = false;
    advance();
    ring(0);
  }

  private void advance() {
    if (endpoint.isOver()) {
      return;
    }
    try {
      if (!answer() || !transmit()) {
        if (!endpoint.isOver()) {
          endpoint.peering().block(endpoint);
        }
      }
    } catch (IllegalStateException | WrongThreadException e) {
      endpoint.memoryGone(e);
      return;
    }
    if (endpoint.isOver()) {
      return;
    }
    complete();
    if (refused != null && answers.isEmpty()) {
      refuseNow();
    } else if (finished != null && next == tail) {
      finished.run();
    }
  }

  /** @return false if there is no room for all answers */
  private boolean answer() {
    while (!answers.isEmpty()) {
      if (!answers.sendFirst(endpoint)) {
        return false;
      }
      published = true;
    }
    return true;
  }

  /** @return false if something has to wait for room, or for a region's file */
  private boolean transmit() {
    while (next < tail && refused == null) {
      Pending pending = slots[(int) next & slots.length - 1];
      WorkRequest request = pending.request();
      if (pending.progress == 0 && mustWait(request)) {
        // An answer to an earlier operation leads on.
        return true;
      }
      if (!(request.operation().isOneSided() ? transmitOneSided(pending, request) : transmitMessage(pending, request))) {
        return endpoint.isOver();
      }
      pending.transmitted = true;
      next++;
    }
    return true;
  }

  private boolean mustWait(WorkRequest request) {
    return request.operation().isRead() && readsOutstanding >= endpoint.readsInFlight()
      || (request.flags() & PostFlags.FENCE) != 0 && readsOutstanding > 0;
  }

  private boolean transmitMessage(Pending pending, WorkRequest request) {
    Peering peering = endpoint.peering();
    long length = request.length();
    int flag = request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0;
    boolean whole = length <= peering.longestPayload() && pending.progress == 0;
    int header = whole ? Record.HEADER : 24;
    do {
      int n = (int) Math.min(peering.longestPayload(), length - pending.progress);
      long at = peering.claim(header + n);
      if (at < 0) {
        return false;
      }
      peering.header(at, (whole ? Record.SEND : Record.PART) | flag, endpoint.peerNumber(), (int) request.immediate());
      if (!whole) {
        Ring.LONG.set(peering.memory(), at + 16, length);
      }
      pending.copy(pending.progress, peering.memory(), at + header, n);
      publish(peering, at, header + n);
      pending.progress += n;
      if (!whole) {
        peering.ring();
      }
    } while (pending.progress < length);
    pending.ended = true;
    return true;
  }

  private boolean transmitOneSided(Pending pending, WorkRequest request) {
    Peering peering = endpoint.peering();
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    switch (remote.state()) {
      case UNKNOWN -> {
        peering.ask(remote);
        return false;
      }
      case ASKED -> {
        return false;
      }
      case REFUSED -> {
        endpoint.refused(next, Status.REMOTE_ACCESS);
        return false;
      }
      case MAPPED -> {
        return transmitMapped(pending, request, remote);
      }
      default -> {
        return request.operation() == Operation.WRITE || request.operation() == Operation.WRITE_IMMEDIATE
          ? transmitWrite(pending, request, remote) : transmitRead(request, remote);
      }
    }
  }

  private boolean transmitMapped(Pending pending, WorkRequest request, ShmRemoteMemory remote) {
    Peering peering = endpoint.peering();
    if (!permits(remote, request)) {
      endpoint.refused(next, Status.REMOTE_ACCESS);
      return false;
    }
    if (request.operation() == Operation.WRITE_IMMEDIATE && !hasRoom(peering, 24)) {
      return false;
    }
    if (request.operation().remoteAccess() == Access.REMOTE_WRITE) {
      pending.copy(0, remote.mapped(), remote.base + request.remoteOffset(), request.length());
    } else {
      move(request, remote);
    }
    told(peering, request, request.length());
    pending.ended = true;
    return true;
  }

  /** Sends a write to the owner of the memory, who tells when it is done. */
  private boolean transmitWrite(Pending pending, WorkRequest request, ShmRemoteMemory remote) {
    Peering peering = endpoint.peering();
    long length = request.length();
    do {
      int n = (int) Math.min(peering.longestPayload(), length - pending.progress);
      long at = claimFor(peering, remote, request.remoteOffset() + pending.progress, 48 + n);
      if (at < 0) {
        return false;
      }
      boolean last = pending.progress + n == length;
      int flags = last ? Record.LAST | (request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0) : 0;
      peering.header(at, Record.WRITE | flags, endpoint.peerNumber(), (int) request.immediate());
      pending.copy(pending.progress, peering.memory(), at + 48, n);
      publish(peering, at, 48 + n);
      pending.progress += n;
      peering.ring();
    } while (pending.progress < length);
    return true;
  }

  /** Asks the owner of the memory for a read or an atomic. */
  private boolean transmitRead(WorkRequest request, ShmRemoteMemory remote) {
    Peering peering = endpoint.peering();
    boolean read = request.operation() == Operation.READ;
    int bytes = read ? 56 : 64;
    long at = claimFor(peering, remote, request.remoteOffset(), bytes);
    if (at < 0) {
      return false;
    }
    int type = read ? Record.READ : request.operation() == Operation.FETCH_ADD ? Record.FETCH_ADD : Record.COMPARE_SWAP;
    peering.header(at, type, endpoint.peerNumber(), 0);
    Ring.LONG.set(peering.memory(), at + 48, read ? request.length() : request.operand());
    if (!read) {
      Ring.LONG.set(peering.memory(), at + 56, request.swap());
    }
    publish(peering, at, bytes);
    readsOutstanding++;
    return true;
  }

  private long claimFor(Peering peering, ShmRemoteMemory remote, long offset, int length) {
    long at = peering.claim(length);
    if (at >= 0) {
      Ring.INT.set(peering.memory(), at + 16, remote.slot);
      Ring.LONG.set(peering.memory(), at + 24, remote.secret);
      Ring.LONG.set(peering.memory(), at + 32, remote.base + offset);
      Ring.LONG.set(peering.memory(), at + 40, next);
    }
    return at;
  }

  // Answers of the peer

  /** The operation of that number, if it waits for an answer; null otherwise. */
  Pending awaiting(long sequence) {
    if (sequence < head || sequence >= next) {
      return null;
    }
    Pending pending = slots[(int) sequence & slots.length - 1];
    return pending.ended ? null : pending;
  }

  /** All of an answer came. */
  void answered(Pending pending) {
    pending.ended = true;
    readsOutstanding--;
    advance();
  }

  /** Writes up to this one are done. @return false if that was not to be told */
  boolean written(long sequence) {
    if (sequence < head || sequence >= next) {
      return false;
    }
    for (long s = head; s <= sequence; s++) {
      Pending pending = slots[(int) s & slots.length - 1];
      if (!pending.request().operation().isRead()) {
        pending.ended = true;
      }
    }
    complete();
    return true;
  }

  private void complete() {
    while (head < next) {
      Pending pending = slots[(int) head & slots.length - 1];
      if (!pending.ended) {
        return;
      }
      WorkRequest request = pending.request();
      head++;
      ended(request, request.operation(), request.flags(), request.length());
      pending.clear();
    }
  }

  // Ends

  /** Runs something when all that was posted is in the ring. */
  void finish(Runnable then) {
    finished = then;
    advance();
  }

  /** Refuses an operation of the peer after what was answered, then runs something. */
  void refuse(long sequence, int status, Runnable then) {
    if (refused == null) {
      refusedSequence = sequence;
      refusal = status;
      refused = then;
      advance();
    }
  }

  boolean isRefusing() {
    return refused != null;
  }

  private void refuseNow() {
    Peering peering = endpoint.peering();
    long at = peering.claim(24);
    if (at < 0) {
      peering.block(endpoint);
      return;
    }
    peering.header(at, Record.REFUSED, endpoint.peerNumber(), refusal);
    Ring.LONG.set(peering.memory(), at + 16, refusedSequence);
    peering.publish(at, 24);
    peering.ring();
    refused.run();
  }

  /** Notes which operation was refused, for the flush that follows. */
  void failed(long sequence, int status) {
    failedSequence = sequence;
    failedStatus = status;
  }

  /** Ends everything that is left. */
  void flush(String reason) {
    while (head < tail) {
      Pending pending = slots[(int) head & slots.length - 1];
      WorkRequest request = pending.request();
      long sequence = head++;
      if (pending.ended && sequence != failedSequence) {
        ended(request, request.operation(), request.flags(), request.length());
      } else {
        undrained++;
        queue.completions().fail(request.id(), request.operation(), endpoint, 0, sequence == failedSequence ? failedStatus : Status.FLUSHED,
          reason);
        endpoint.counters().failed();
      }
      pending.clear();
    }
    next = tail;
    readsOutstanding = 0;
    answers.clear();
  }

  /** One of its completions was drained. */
  void drained() {
    undrained--;
  }

  /** The endpoint was closed: its completions will not be drained. */
  void silence() {
    undrained = 0;
  }
}
