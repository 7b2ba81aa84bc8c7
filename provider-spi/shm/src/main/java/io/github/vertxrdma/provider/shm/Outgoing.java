package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SendQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Posted operations of an endpoint. A post executes its operation at once if no earlier operation waits and the ring has room. Otherwise
 * the operation waits. Waiting operations complete in order.
 */
final class Outgoing {
  private final ShmEndpoint endpoint;
  final ShmAnswers answers = new ShmAnswers();
  private final SendQueue waiting;
  private Runnable finished;
  private long refusedSequence;
  private int refusal;
  private Runnable refused;
  private long claimed;
  private int claimedLength;
  private boolean published;

  Outgoing(ShmEndpoint endpoint, ArrayDeque<PostedOperation> unused) {
    this.endpoint = endpoint;
    waiting = new SendQueue(endpoint, unused);
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
    if (waiting.isEmpty() && refused == null) {
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
    if (!waiting.isEmpty() || refused != null) {
      return -1;
    }
    long at = endpoint.peering().output.claimMessage(length);
    claimed = at;
    claimedLength = length;
    return at < 0 ? -1 : at + Record.HEADER;
  }

  MemorySegment claimed() {
    return endpoint.peering().output.memory();
  }

  void sendClaimed(int length) {
    if (length > claimedLength) {
      // A longer message would overwrite records that the peer has not read.
      throw new IllegalArgumentException("cannot send " + length + " bytes: the number of claimed bytes is " + claimedLength);
    }
    RingOutput output = endpoint.peering().output;
    output.header(claimed, Record.SEND, endpoint.peerNumber(), 0);
    output.publish(claimed, Record.HEADER + length);
    output.ring();
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
        endpoint.peering().output.ring();
      } else {
        endpoint.peering().output.holdBell();
      }
    }
  }

  private boolean isDone(WorkRequest request, Operation operation, long length) {
    if (!operation.isOneSided()) {
      published = MessageRecords.sendWhole(endpoint, request, length);
      return published;
    }
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    return remote.state() == ShmRemoteMemory.State.MAPPED && MappedOperations.permits(remote, request)
      && MappedOperations.canBeTold(endpoint, request) && MappedOperations.carryOut(request, remote) && told(request);
  }

  private boolean told(WorkRequest request) {
    published |= MappedOperations.tell(endpoint, request);
    return true;
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
          endpoint.peering().block(endpoint);
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
    if (refused != null && answers.isEmpty()) {
      refuseNow();
    } else if (finished != null && !waiting.hasNext()) {
      finished.run();
    }
  }

  private boolean answer() {
    while (!answers.isEmpty()) {
      if (!answers.sendFirst(endpoint)) {
        return false;
      }
      published = true;
    }
    return true;
  }

  private boolean transmit() {
    while (waiting.hasNext() && refused == null && !waiting.nextMustWait()) {
      PostedOperation pending = waiting.get(waiting.next());
      WorkRequest request = pending.request();
      if (!(request.operation().isOneSided() ? transmitOneSided(pending, request) : messageIsSent(pending))) {
        return endpoint.isEnded();
      }
      waiting.transmitted(request.operation().isRead() && !pending.isEnded());
    }
    return true;
  }

  private boolean messageIsSent(PostedOperation pending) {
    if (!MessageRecords.send(endpoint, pending)) {
      return false;
    }
    pending.end();
    published = true;
    return true;
  }

  private boolean transmitOneSided(PostedOperation pending, WorkRequest request) {
    ShmRemoteMemory remote = (ShmRemoteMemory) request.remote();
    switch (remote.state()) {
      case UNKNOWN, ASKED -> {
        return !endpoint.peering().files.awaits(remote) && transmitOneSided(pending, request);
      }
      case REFUSED -> {
        endpoint.refused(waiting.next(), Status.REMOTE_ACCESS);
        return false;
      }
      case MAPPED -> {
        return transmitMapped(pending, request, remote);
      }
      default -> {
        if (request.operation().isRead()) {
          boolean asked = OwnerRequests.read(endpoint, request, remote, waiting.next());
          published |= asked;
          return asked;
        }
        return OwnerRequests.write(endpoint, pending, remote, waiting.next());
      }
    }
  }

  private boolean transmitMapped(PostedOperation pending, WorkRequest request, ShmRemoteMemory remote) {
    if (!MappedOperations.permits(remote, request)) {
      endpoint.refused(waiting.next(), Status.REMOTE_ACCESS);
      return false;
    }
    if (!MappedOperations.canBeTold(endpoint, request)) {
      return false;
    }
    if (!MappedOperations.carryOut(pending, remote)) {
      endpoint.refused(waiting.next(), Status.REMOTE_ACCESS);
      return false;
    }
    told(request);
    pending.end();
    return true;
  }

  PostedOperation awaiting(long sequence) {
    return waiting.awaiting(sequence);
  }

  void answered(PostedOperation pending) {
    waiting.answered(pending);
    pump();
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

  /** Runs a task when all posted operations are in the ring buffer. */
  void finish(Runnable then) {
    finished = then;
    pump();
  }

  /** Refuses an operation of the peer once all earlier answers are sent, then runs a task. */
  void refuse(long sequence, int status, Runnable then) {
    if (refused == null) {
      refusedSequence = sequence;
      refusal = status;
      refused = then;
      advance();
      if (!endpoint.isEnded()) {
        // The peer must read the answers, so that the refusal gets room in the ring.
        ring(0);
      }
    }
  }

  boolean isRefusing() {
    return refused != null;
  }

  private void refuseNow() {
    RingOutput output = endpoint.peering().output;
    long at = output.claim(24);
    if (at < 0) {
      endpoint.peering().block(endpoint);
      return;
    }
    output.header(at, Record.REFUSED, endpoint.peerNumber(), refusal);
    Ring.LONG.set(output.memory(), at + 16, refusedSequence);
    output.publish(at, 24);
    output.ring();
    refused.run();
  }

  void failed(long sequence, int status) {
    waiting.refused(sequence, status);
  }

  void flush(String reason) {
    waiting.flush(reason);
    answers.clear();
  }
}
