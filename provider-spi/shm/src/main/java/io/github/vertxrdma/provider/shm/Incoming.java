package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Status;
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
    } else if (!part) {
      return violated("a message between the parts of another");
    }
    receive(record.memory, record.at() + from, length, whole, record.has(Record.HAS_IMMEDIATE), record.immediate());
    return true;
  }

  /** Keeps a record for which no receive is posted, or lets the ring wait. */
  private boolean await(RingReader record, int from, int length, long whole) {
    receives.await(endpoint);
    boolean full = record.type() == Record.PART || heldBytes + length > HELD_BYTES || held != null && held.size() == HELD_MESSAGES;
    return full && !endpoint.link().isEnding() ? stall() : keep(record, from, whole);
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
      Held next = held.poll();
      if (held.isEmpty()) {
        held = null;
      }
      int length = next.bytes().length;
      heldBytes -= length;
      try {
        if (!receive(MemorySegment.ofArray(next.bytes()), 0, length, next.whole(), next.hasImmediate(), next.immediate())) {
          // Lets the ring be read for other connections while the refusal waits for room in this side's ring.
          resume();
          return;
        }
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

  private void resume() {
    if (stalling) {
      stalling = false;
      endpoint.link().resume();
    }
  }

  /** @return false if the message is too long for its receive */
  private boolean receive(MemorySegment from, long at, int length, long whole, boolean hasImmediate, int immediate) {
    if (total < 0) {
      long id = receives.requestId();
      int room = receives.length();
      SoftwareRegion into = receives.region();
      offset = receives.offset();
      receives.take(endpoint);
      if (whole > room) {
        endpoint.receiveTooShort(id, room, whole, -1);
        return false;
      }
      if (whole == length && into == null) {
        endpoint.received(id, from, at, length, hasImmediate, immediate);
        return true;
      }
      total = whole;
      received = 0;
      receiveId = id;
      region = into;
      bytes = into == null ? MemorySegment.ofArray(new byte[(int) whole]) : null;
    }
    if (whole != total || length > total - received) {
      return violated("a part of a message that does not continue the earlier parts");
    }
    put(from, at, length);
    received(length, hasImmediate, immediate);
    return true;
  }

  private void put(MemorySegment from, long at, int length) {
    if (bytes != null) {
      MemorySegment.copy(from, at, bytes, received, length);
    } else if (length > 0) {
      copy(from, at, region, offset + received, length);
    }
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
      throw new IllegalStateException("a memory region was closed while it was used");
    }
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
    SoftwareRegion target = endpoint.target(record.readInt(16), record.readLong(24), Access.REMOTE_WRITE, at, length, sequence);
    if (target == null) {
      return true;
    }
    copy(record.memory, record.at() + 48, target, at, length);
    if (record.has(Record.LAST)) {
      if (notifies) {
        endpoint.remoteWritten(length, record.immediate());
      }
      return outgoing.done(sequence) || violated("more reads and atomics at once than are allowed");
    }
    return true;
  }

  private boolean asked(RingReader record) {
    if (outgoing.answers.isFull()) {
      return violated("more reads and atomics at once than are allowed");
    }
    int slot = record.readInt(16);
    long secret = record.readLong(24);
    long at = record.readLong(32);
    long sequence = record.readLong(40);
    long operand = record.readLong(48);
    if (record.type() == Record.READ) {
      outgoing.answers.read(Record.DATA, slot, secret, at, operand, sequence);
    } else {
      boolean add = record.type() == Record.FETCH_ADD;
      outgoing.answers.atomic(Record.VALUE, add, slot, secret, at, operand, add ? 0 : record.readLong(56), sequence);
    }
    outgoing.pump();
    return true;
  }

  private boolean data(RingReader record) {
    long at = record.readLong(24);
    int length = record.length() - 32;
    PostedOperation read = outgoing.waiting.awaitingRead(record.readLong(16), at, length);
    if (read == null) {
      return violated("a reply to a read that was not requested");
    }
    if (length > 0) {
      copy(record.memory, record.at() + 32, (SoftwareRegion) read.request().region(), read.request().offset() + at, length);
    }
    outgoing.waiting.arrived(read, length);
    outgoing.pump();
    return true;
  }

  private boolean value(RingReader record) {
    if (!outgoing.waiting.returned(record.readLong(16), record.readLong(24))) {
      return violated("a reply to an atomic that was not requested");
    }
    outgoing.pump();
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
