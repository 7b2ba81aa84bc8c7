package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.AnswerQueue;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SendQueue;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;

/**
 * Posted operations of an endpoint. A post executes its operation at once if no earlier operation waits and the ring has room. Otherwise
 * the operation waits. Waiting operations complete in order.
 */
final class Outgoing {
  private static final int WRITE_FIELDS = 48;

  private final ShmEndpoint endpoint;
  final AnswerQueue answers;
  final SendQueue waiting;
  /** True if the connection ends when all posted operations are in the ring buffer. */
  private boolean finishing;
  private long refusedSequence;
  private int refusedStatus;
  private long claimed;
  private int claimedLength;
  private boolean published;

  Outgoing(ShmEndpoint endpoint) {
    this.endpoint = endpoint;
    answers = new AnswerQueue(endpoint, 2 * ShmDevice.READS_IN_FLIGHT + 1);
    waiting = new SendQueue(endpoint);
  }

  int waiting() {
    return waiting.size();
  }

  int post(WorkRequest request) {
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    long length = request.length();
    int status = endpoint.check(request, flags, waiting.size(), ShmRemoteMemory.class);
    if (status != Status.OK) {
      return status;
    }
    published = false;
    if (waiting.isEmpty() && !endpoint.isRefusing()) {
      try {
        if (isDone(request, operation, length)) {
          boolean silent = (flags & PostFlags.UNLESS_DONE) != 0;
          endpoint.succeeded(request.id(), operation, !silent && (flags & PostFlags.SIGNALED) != 0, length);
          ring(flags);
          return silent ? Status.DONE : Status.OK;
        }
      } catch (IllegalStateException | WrongThreadException e) {
        endpoint.memoryGone(e);
        return Status.FAILED;
      }
      if (endpoint.isEnded()) {
        // The connection has ended, so a waiting operation would never complete.
        return Status.NOT_CONNECTED;
      }
    }
    return request.memory() != null ? Status.AGAIN : enqueue(request, flags);
  }

  long claim(int length) {
    if (!waiting.isEmpty()) {
      return -1;
    }
    claimed = output().claimMessage(length);
    claimedLength = length;
    return claimed < 0 ? -1 : claimed + Record.HEADER;
  }

  MemorySegment claimed() {
    return output().memory();
  }

  void sendClaimed(int length) {
    if (length > claimedLength) {
      // A longer message would overwrite records that the peer has not read.
      throw new IllegalArgumentException("cannot send " + length + " bytes: the number of claimed bytes is " + claimedLength);
    }
    RingOutput output = output();
    output.header(claimed, Record.SEND, endpoint.peerNumber(), 0);
    output.publish(claimed, Record.HEADER + length);
    output.wakePeer();
  }

  private int enqueue(WorkRequest request, int flags) {
    boolean unlessDone = (flags & PostFlags.UNLESS_DONE) != 0;
    long sequence;
    try {
      sequence = waiting.add(request, unlessDone ? flags & ~PostFlags.SIGNALED : flags, endpoint.inlineSize());
    } catch (IllegalStateException | WrongThreadException e) {
      endpoint.memoryGone(e);
      return Status.FAILED;
    }
    advance();
    ring(flags);
    if (unlessDone && !endpoint.isEnded()) {
      if (sequence < waiting.head()) {
        return Status.DONE;
      }
      waiting.get(sequence).request().flags(flags);
    }
    return Status.OK;
  }

  private void ring(int flags) {
    if (published) {
      if ((flags & PostFlags.MORE) == 0) {
        output().wakePeer();
      } else {
        output().wakeLater();
      }
    }
  }

  private boolean isDone(WorkRequest request, Operation operation, long length) {
    if (!operation.isOneSided()) {
      return sendWhole(request, length);
    }
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    return remote.state() == ShmRemoteMemory.State.MAPPED && permits(remote, request) && canNotify(request)
      && execute(null, request, remote);
  }

  private boolean sendWhole(WorkRequest request, long length) {
    RingOutput output = output();
    int bytes = Record.HEADER + (int) length;
    long at = length > output.longestPayload() ? -1
      : claim(request.operation().hasImmediate() ? Record.SEND | Record.HAS_IMMEDIATE : Record.SEND, request, bytes);
    if (at < 0) {
      return false;
    }
    PostedOperation.copy(request, 0, output.memory(), at + Record.HEADER, length);
    publish(at, bytes);
    return true;
  }

  private RingOutput output() {
    return endpoint.link().output;
  }

  /** Reserves room for a record and writes its header. @return its offset; -1 if there is no room now */
  private long claim(int type, WorkRequest request, int length) {
    return output().claim(type, endpoint.peerNumber(), (int) request.immediate(), length);
  }

  private void publish(long at, int length) {
    output().publish(at, length);
    published = true;
  }

  /** Continues waiting operations. Wakes the peer if any was sent. */
  void pump() {
    published = false;
    advance();
    ring(0);
  }

  private void advance() {
    if (endpoint.isEnded()) {
      return;
    }
    try {
      if (!answer() || !transmit()) {
        if (!endpoint.isEnded()) {
          endpoint.link().block(endpoint);
        }
      }
    } catch (IllegalStateException | WrongThreadException e) {
      endpoint.memoryGone(e);
      return;
    }
    if (endpoint.isEnded()) {
      return;
    }
    waiting.complete();
    if (endpoint.isRefusing() && answers.isEmpty()) {
      refuseNow();
    } else if (finishing && !waiting.hasNext()) {
      endpoint.disconnectSent();
    }
  }

  private boolean answer() {
    while (!answers.isEmpty()) {
      if (!sendFirstAnswer()) {
        return false;
      }
    }
    return true;
  }

  /** Sends the first answer, or a part of it. Returns false if there is no room. */
  private boolean sendFirstAnswer() {
    AnswerQueue.Answer first = answers.first();
    if (first.type() == Record.DATA) {
      return sendData(first);
    }
    int length = first.type() == Record.DONE ? 24 : 32;
    long at = output().claim(first.type(), endpoint.peerNumber(), 0, length);
    if (at < 0) {
      return false;
    }
    Ring.LONG.set(output().memory(), at + 16, first.sequence());
    if (first.type() == Record.VALUE) {
      Ring.LONG.set(output().memory(), at + 24, first.value());
    }
    publish(at, length);
    answers.remove();
    return true;
  }

  private boolean sendData(AnswerQueue.Answer read) {
    int n = (int) Math.min(output().longestPayload(), read.value() - read.sent());
    long at = output().claim(Record.DATA, endpoint.peerNumber(), 0, 32 + n);
    if (at < 0) {
      return false;
    }
    MemorySegment memory = output().memory();
    SoftwareRegion region = read.region();
    if (!region.take(read.offset(), memory, at + 32, n)) {
      long sequence = read.sequence();
      answers.clear();
      endpoint.refuse(sequence, Status.REMOTE_ACCESS, "the region was closed during a read");
      return false;
    }
    Ring.LONG.set(memory, at + 16, read.sequence());
    Ring.LONG.set(memory, at + 24, read.sent());
    publish(at, 32 + n);
    if (read.advance(n)) {
      answers.remove();
    }
    return true;
  }

  private boolean transmit() {
    while (waiting.hasNext() && !endpoint.isRefusing() && !waiting.nextMustWait()) {
      PostedOperation pending = waiting.get(waiting.next());
      WorkRequest request = pending.request();
      if (!(request.operation().isOneSided() ? transmitOneSided(pending, request) : send(pending))) {
        return endpoint.isEnded();
      }
      waiting.transmitted(request.operation().isRead() && !pending.isEnded());
    }
    return true;
  }

  /** Sends a message, in several parts if it is long. Returns false if the ring has no room for the rest. */
  private boolean send(PostedOperation pending) {
    RingOutput output = output();
    WorkRequest request = pending.request();
    long length = request.length();
    boolean whole = length <= output.longestPayload() && pending.progress() == 0;
    int type = (whole ? Record.SEND : Record.PART) | (request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0);
    int header = whole ? Record.HEADER : Record.PART_FIELDS;
    do {
      int n = (int) Math.min(output.longestPayload(), length - pending.progress());
      long at = claim(type, request, header + n);
      if (at < 0) {
        return false;
      }
      if (!whole) {
        Ring.LONG.set(output.memory(), at + Record.HEADER, length);
      }
      publishPart(pending, at, header, n);
      if (!whole) {
        output.wakePeer();
      }
    } while (pending.progress() < length);
    pending.end();
    return true;
  }

  private void publishPart(PostedOperation pending, long at, int header, int length) {
    pending.copy(pending.progress(), output().memory(), at + header, length);
    publish(at, header + length);
    pending.progress(pending.progress() + length);
  }

  private boolean transmitOneSided(PostedOperation pending, WorkRequest request) {
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    return switch (remote.state()) {
      case UNKNOWN, ASKED -> !endpoint.link().files.awaits(remote) && transmitOneSided(pending, request);
      case REFUSED -> remote.refusal() == null ? refusedByPeer() : unmapped(remote.refusal());
      case MAPPED -> transmitMapped(pending, request, remote);
      case BY_OWNER -> request.operation().isRead() ? requestRead(request, remote) : requestWrite(pending, request, remote);
    };
  }

  /** Ends the connection. Returns false: the operation is not transmitted. */
  private boolean refusedByPeer() {
    endpoint.refused(waiting.next(), Status.REMOTE_ACCESS);
    return false;
  }

  private boolean unmapped(ProviderException why) {
    failed(waiting.next(), why.reason() == Reason.LIMIT ? Status.LIMIT : Status.REMOTE_ACCESS);
    endpoint.fail(why);
    return false;
  }

  private boolean transmitMapped(PostedOperation pending, WorkRequest request, ShmRemoteMemory remote) {
    if (!permits(remote, request)) {
      return refusedByPeer();
    }
    if (!canNotify(request)) {
      return false;
    }
    if (!execute(pending, request, remote)) {
      return refusedByPeer();
    }
    pending.end();
    return true;
  }

  private static boolean permits(ShmRemoteMemory remote, WorkRequest request) {
    return remote.permits(1 << request.operation().remoteAccess().ordinal())
      && (!request.operation().isAtomic() || (remote.region().address() + remote.base() + request.remoteOffset() & Long.BYTES - 1) == 0);
  }

  /** Returns false if a write must notify the peer, but the ring has no room for the notification. */
  private boolean canNotify(WorkRequest request) {
    return request.operation() != Operation.WRITE_IMMEDIATE || output().claim(24) >= 0;
  }

  /**
   * Executes an operation on a peer's mapped memory, and notifies the peer of a write with immediate.
   *
   * @param pending null if the request was not copied
   * @return false if the peer closed the region meanwhile
   */
  private boolean execute(PostedOperation pending, WorkRequest request, ShmRemoteMemory remote) {
    MemorySegment target = remote.region();
    long at = remote.base() + request.remoteOffset();
    switch (request.operation()) {
      case WRITE, WRITE_IMMEDIATE -> {
        if (pending != null) {
          pending.copy(0, target, at, request.length());
        } else {
          PostedOperation.copy(request, 0, target, at, request.length());
        }
      }
      case READ -> {
        if (request.length() > 0 && request.memory() != null) {
          MemorySegment.copy(target, at, request.memory(), request.offset(), request.length());
        } else if (request.length() > 0) {
          region(request).set(target, at, request.offset(), request.length());
        }
      }
      case FETCH_ADD -> region(request).set((long) Ring.LONG.getAndAdd(target, at, request.operand()), request.offset());
      default -> region(request).set((long) Ring.LONG.compareAndExchange(target, at, request.operand(), request.swap()), request.offset());
    }
    if (!remote.isStillOpen()) {
      return false;
    }
    if (request.operation() == Operation.WRITE_IMMEDIATE) {
      long record = claim(Record.WRITTEN | Record.HAS_IMMEDIATE, request, 24);
      Ring.LONG.set(output().memory(), record + 16, request.length());
      publish(record, 24);
    }
    return true;
  }

  private static SoftwareRegion region(WorkRequest request) {
    return (SoftwareRegion) request.region();
  }

  /** Asks the owner of memory to execute a write, in several parts if it is long. Returns false if the ring has no room for the rest. */
  private boolean requestWrite(PostedOperation pending, WorkRequest request, ShmRemoteMemory remote) {
    long length = request.length();
    do {
      int n = (int) Math.min(output().longestPayload(), length - pending.progress());
      boolean last = pending.progress() + n == length;
      int flags = last ? Record.LAST | (request.operation().hasImmediate() ? Record.HAS_IMMEDIATE : 0) : 0;
      long at = claim(Record.WRITE | flags, request, WRITE_FIELDS + n);
      if (at < 0) {
        return false;
      }
      writeTarget(at, remote, request.remoteOffset() + pending.progress());
      publishPart(pending, at, WRITE_FIELDS, n);
      if (!last) {
        output().wakePeer();
      }
    } while (pending.progress() < length);
    return true;
  }

  /** Asks the owner of memory to answer a read or execute an atomic. Returns false if the ring has no room. */
  private boolean requestRead(WorkRequest request, ShmRemoteMemory remote) {
    boolean read = request.operation() == Operation.READ;
    int bytes = read ? 56 : 64;
    long at = output().claim(read ? Record.READ : request.operation() == Operation.FETCH_ADD ? Record.FETCH_ADD : Record.COMPARE_SWAP,
      endpoint.peerNumber(), 0, bytes);
    if (at < 0) {
      return false;
    }
    writeTarget(at, remote, request.remoteOffset());
    Ring.LONG.set(output().memory(), at + 48, read ? request.length() : request.operand());
    if (!read) {
      Ring.LONG.set(output().memory(), at + 56, request.swap());
    }
    publish(at, bytes);
    return true;
  }

  private void writeTarget(long at, ShmRemoteMemory remote, long offset) {
    MemorySegment memory = output().memory();
    Ring.INT.set(memory, at + 16, remote.slot());
    Ring.LONG.set(memory, at + 24, remote.secret());
    Ring.LONG.set(memory, at + 32, remote.base() + offset);
    Ring.LONG.set(memory, at + 40, waiting.next());
  }

  /** Called when the peer has executed a write. Returns false if no such write waits. */
  boolean written(long sequence) {
    if (waiting.awaiting(sequence) == null) {
      return false;
    }
    waiting.executed(sequence);
    waiting.complete();
    return true;
  }

  /** Ends the connection when all posted operations are in the ring buffer. */
  void finish() {
    finishing = true;
    pump();
  }

  void refuse(long sequence, int status) {
    refusedSequence = sequence;
    refusedStatus = status;
    advance();
    if (!endpoint.isEnded()) {
      // The peer must read the answers, so that the refusal gets room in the ring.
      ring(0);
    }
  }

  /** Reports a write of the peer. Returns false if the peer has more requests in flight than permitted. */
  boolean done(long sequence) {
    if (!answers.isEmpty() && answers.last().type() == Record.DONE) {
      // One DONE reports this write and the earlier one.
      answers.last().sequence(sequence);
    } else if (answers.isFull()) {
      return false;
    } else {
      answers.add(Record.DONE, sequence, null, 0, 0);
    }
    pump();
    return true;
  }

  private void refuseNow() {
    RingOutput output = output();
    long at = output.claim(Record.REFUSED, endpoint.peerNumber(), refusedStatus, 24);
    if (at < 0) {
      endpoint.link().block(endpoint);
      return;
    }
    Ring.LONG.set(output.memory(), at + 16, refusedSequence);
    output.publish(at, 24);
    output.wakePeer();
    endpoint.refusalSent();
  }

  void failed(long sequence, int status) {
    waiting.refused(sequence, status);
  }

  void flush(String reason) {
    waiting.flush(reason);
    answers.clear();
  }
}
