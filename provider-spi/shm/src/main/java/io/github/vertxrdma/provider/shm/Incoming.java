package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SoftwareReceives;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Handles the records in the peer's ring buffer that are for one endpoint. Keeps at most 64 messages and 64 KiB without a posted receive.
 * Above that, the ring is not read. After the peer has ended, keeps all messages of the ring.
 */
final class Incoming {
  private static final int HELD_BYTES = 64 * 1024;
  private static final int HELD_MESSAGES = 64;

  private final ShmEndpoint endpoint;
  private final ShmQueue queue;
  private final SoftwareReceives receives;
  private final Outgoing outgoing;
  private ArrayDeque<Held> held;
  private int heldBytes;
  /** True while the peer's ring is not read because this endpoint has no posted receive. */
  private boolean stalling;

  private long total = -1;
  private long received;
  private long receiveId;
  private SoftwareRegion region;
  private long offset;
  private MemorySegment bytes;

  private record Held(byte[] bytes, long whole, boolean hasImmediate, int immediate) {
  }

  Incoming(ShmEndpoint endpoint, ShmQueue queue, SoftwareReceives receives, Outgoing outgoing) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.receives = receives;
    this.outgoing = outgoing;
  }

  /**
   * Handles a record.
   *
   * @return false if this record and all later ones of the ring must wait
   */
  boolean arrived(RingReader record) {
    if (endpoint.isRefusing() && record.type() != Record.BYE) {
      return true;
    }
    try {
      return switch (record.type()) {
        case Record.SEND, Record.PART -> message(record);
        case Record.WRITTEN -> written(record);
        case Record.WRITE -> write(record);
        case Record.READ, Record.FETCH_ADD, Record.COMPARE_SWAP -> asked(record);
        case Record.DATA -> data(record);
        case Record.VALUE -> value(record);
        case Record.DONE -> outgoing.written(record.readLong(16)) || violated("the end of a write that had not begun");
        case Record.REFUSED -> {
          endpoint.refused(record.readLong(16), record.immediate() == Status.LENGTH ? Status.LENGTH : Status.REMOTE_ACCESS);
          yield true;
        }
        case Record.BYE -> {
          endpoint.peerLeft();
          yield true;
        }
        default -> violated("a record of unknown type " + record.type());
      };
    } catch (IllegalStateException | WrongThreadException e) {
      endpoint.memoryGone(e);
      return true;
    } catch (DamagedRingException e) {
      throw e;
    } catch (RuntimeException e) {
      endpoint.broken(e);
      return true;
    }
  }

  private boolean violated(String what) {
    endpoint.violated(what);
    return true;
  }

  private boolean message(RingReader record) {
    boolean part = record.type() == Record.PART;
    int from = part ? Record.PART_FIELDS : Record.HEADER;
    int length = record.length() - from;
    long whole = part ? record.readLong(16) : length;
    if (total < 0) {
      if (whole < 0 || whole > ShmDevice.MAX_MESSAGE) {
        return violated("a message of invalid length " + whole);
      }
      if (receives.isEmpty() || held != null) {
        return await(record, from, length, whole);
      }
      if (whole > receives.length()) {
        tooLong(whole);
        return true;
      }
      if (whole == length && receives.region() == null) {
        long id = receives.requestId();
        receives.take(endpoint);
        endpoint.received(id, record.memory, record.at() + from, length, record.has(Record.HAS_IMMEDIATE), record.immediate());
        return true;
      }
      begin(whole);
    } else if (!part) {
      return violated("a message between the parts of another");
    }
    if (fits(whole, length)) {
      put(record.memory, record.at() + from, length);
      received(length, record.has(Record.HAS_IMMEDIATE), record.immediate());
    }
    return true;
  }

  /** Keeps a record for which no receive is posted, or lets the ring wait. */
  private boolean await(RingReader record, int from, int length, long whole) {
    receives.await(endpoint);
    boolean full = record.type() == Record.PART || heldBytes + length > HELD_BYTES || held != null && held.size() == HELD_MESSAGES;
    return full && !endpoint.link().isEnding() ? stall() : keep(record, from, whole);
  }

  private void tooLong(long length) {
    long id = receives.requestId();
    int room = receives.length();
    receives.take(endpoint);
    endpoint.receiveTooShort(id, room, length, -1);
  }

  private boolean keep(RingReader record, int from, long whole) {
    byte[] bytes = record.readData(from);
    if (held == null) {
      held = new ArrayDeque<>();
    }
    held.add(new Held(bytes, whole, record.has(Record.HAS_IMMEDIATE), record.immediate()));
    heldBytes += bytes.length;
    return true;
  }

  boolean holds() {
    return held != null;
  }

  private boolean stall() {
    stalling = true;
    endpoint.link().stall();
    return false;
  }

  void receiveHeld() {
    if (endpoint.isEnded()) {
      return;
    }
    while (held != null && (total >= 0 || !receives.isEmpty()) && !endpoint.isEnded()) {
      Held next = held.peek();
      if (total < 0 && next.whole() > receives.length()) {
        tooLong(next.whole());
        // Lets the ring be read for other connections while the refusal waits for room in this side's ring.
        resume();
        return;
      }
      held.poll();
      if (held.isEmpty()) {
        held = null;
      }
      heldBytes -= next.bytes().length;
      try {
        receive(next);
      } catch (IllegalStateException | WrongThreadException e) {
        endpoint.memoryGone(e);
        return;
      }
    }
    if (held != null) {
      receives.await(endpoint);
    }
    resume();
  }

  private void receive(Held part) {
    if (total < 0) {
      begin(part.whole());
    }
    int length = part.bytes().length;
    if (fits(part.whole(), length)) {
      put(MemorySegment.ofArray(part.bytes()), 0, length);
      received(length, part.hasImmediate(), part.immediate());
    }
  }

  private void resume() {
    if (stalling) {
      stalling = false;
      endpoint.link().resume();
    }
  }

  private void begin(long whole) {
    total = whole;
    received = 0;
    receiveId = receives.requestId();
    region = receives.region();
    offset = receives.offset();
    bytes = region == null ? MemorySegment.ofArray(new byte[(int) whole]) : null;
    receives.take(endpoint);
  }

  private void put(MemorySegment from, long at, int length) {
    if (bytes != null) {
      MemorySegment.copy(from, at, bytes, received, length);
    } else if (length > 0) {
      copy(from, at, region, offset + received, length);
    }
  }

  private boolean fits(long whole, int length) {
    if (whole == total && length <= total - received) {
      return true;
    }
    violated("a part of a message that does not continue the earlier parts");
    return false;
  }

  private void received(int length, boolean hasImmediate, int immediate) {
    received += length;
    if (received == total) {
      long whole = total;
      total = -1;
      if (region == null) {
        MemorySegment message = bytes;
        bytes = null;
        endpoint.received(receiveId, message, 0, (int) whole, hasImmediate, immediate);
      } else {
        region = null;
        endpoint.received(receiveId, whole, hasImmediate, immediate);
      }
    }
  }

  private static void copy(MemorySegment from, long begin, SoftwareRegion into, long at, long length) {
    if (!into.put(from, begin, at, length)) {
      throw closed();
    }
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("a memory region was closed while it was used");
  }

  /** Returns whether the application can be notified of a remote write now. Always true after the peer has ended. */
  private boolean hasRoomToNotify() {
    return queue.hasRoomForRemoteWrite() || endpoint.link().isEnding();
  }

  private boolean written(RingReader record) {
    if (!hasRoomToNotify()) {
      return false;
    }
    endpoint.remoteWritten(record.readLong(16), record.immediate());
    return true;
  }

  private boolean write(RingReader record) {
    boolean notifies = record.has(Record.HAS_IMMEDIATE);
    int length = record.length() - 48;
    long sequence = record.readLong(40);
    if (notifies && !hasRoomToNotify()) {
      return false;
    }
    long at = record.readLong(32);
    SoftwareRegion target = target(record, at, Access.REMOTE_WRITE, length, sequence);
    if (target == null) {
      return true;
    }
    copy(record.memory, record.at() + 48, target, at, length);
    if (record.has(Record.LAST)) {
      if (notifies) {
        endpoint.remoteWritten(length, record.immediate());
      }
      answer(Record.DONE, sequence, null, 0, 0);
    }
    return true;
  }

  private boolean asked(RingReader record) {
    long at = record.readLong(32);
    long sequence = record.readLong(40);
    long operand = record.readLong(48);
    if (record.type() == Record.READ) {
      SoftwareRegion target = target(record, at, Access.REMOTE_READ, operand, sequence);
      if (target != null) {
        answer(Record.DATA, sequence, target, at, operand);
      }
      return true;
    }
    SoftwareRegion target = target(record, at, Access.REMOTE_ATOMIC, Long.BYTES, sequence);
    if (target == null) {
      return true;
    }
    if (!target.acquire()) {
      throw closed();
    }
    try {
      boolean add = record.type() == Record.FETCH_ADD;
      answer(Record.VALUE, sequence, null, 0, target.atomic(add, at, operand, add ? 0 : record.readLong(56)));
    } finally {
      target.release();
    }
    return true;
  }

  private void answer(int type, long sequence, SoftwareRegion from, long at, long value) {
    if (!outgoing.answer(type, sequence, from, at, value)) {
      endpoint.violated("more reads and atomics at once than are allowed");
    }
  }

  private SoftwareRegion target(RingReader record, long at, Access access, long bytes, long sequence) {
    return endpoint.target(record.readInt(16), record.readLong(24), access, at, bytes, sequence, "operation");
  }

  private boolean data(RingReader record) {
    PostedOperation pending = outgoing.awaiting(record.readLong(16));
    long at = record.readLong(24);
    int length = record.length() - 32;
    WorkRequest request = pending == null ? null : pending.request();
    if (request == null || request.operation() != Operation.READ || at != pending.progress() || length > request.length() - at) {
      return violated("a reply to a read that was not requested");
    }
    if (length > 0) {
      copy(record.memory, record.at() + 32, (SoftwareRegion) request.region(), request.offset() + at, length);
      pending.progress(pending.progress() + length);
    }
    if (pending.progress() == request.length()) {
      outgoing.answered(pending);
    }
    return true;
  }

  private boolean value(RingReader record) {
    PostedOperation pending = outgoing.awaiting(record.readLong(16));
    if (pending == null || !pending.request().operation().isAtomic()) {
      return violated("a reply to an atomic that was not requested");
    }
    if (!((SoftwareRegion) pending.request().region()).put(record.readLong(24), pending.request().offset())) {
      throw closed();
    }
    outgoing.answered(pending);
    return true;
  }

  void abandon() {
    receives.forget(endpoint);
    held = null;
    heldBytes = 0;
    if (total >= 0) {
      total = -1;
      region = null;
      bytes = null;
      endpoint.receiveFlushed(receiveId);
    }
    resume();
  }
}
