package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;

/** Answers that an endpoint owes its peer: data of reads, results of atomics, the ends of writes, in the order in which they were asked for. */
final class Answers {
  private final int capacity;
  /** Places, made with the first answer: most endpoints are never asked. */
  private int[] types;
  private long[] sequences;
  private ShmRegion[] regions;
  private long[] offsets;
  /** Bytes of a read, the value of an atomic. */
  private long[] values;
  private long head;
  private long tail;
  /** Bytes of the first read that were sent. */
  private long done;

  Answers(int capacity) {
    this.capacity = capacity;
  }

  private void make() {
    types = new int[capacity];
    sequences = new long[capacity];
    regions = new ShmRegion[capacity];
    offsets = new long[capacity];
    values = new long[capacity];
  }

  boolean isEmpty() {
    return head == tail;
  }

  /** @return false if the peer has asked for more at once than it may */
  boolean add(int type, long sequence, ShmRegion region, long offset, long value) {
    if (type == Record.DONE && head < tail && types[(int) (tail - 1) % types.length] == Record.DONE) {
      // One word for both writes.
      sequences[(int) (tail - 1) % types.length] = sequence;
      return true;
    }
    if (tail - head == capacity) {
      return false;
    }
    if (types == null) {
      make();
    }
    int i = (int) (tail++ % types.length);
    types[i] = type;
    sequences[i] = sequence;
    regions[i] = region;
    offsets[i] = offset;
    values[i] = value;
    return true;
  }

  /** Sends the first answer, or a part of it. @return false if there is no room, or the connection is over */
  boolean sendFirst(ShmEndpoint endpoint) {
    int i = (int) (head % types.length);
    RingOutput output = endpoint.peering().output();
    if (types[i] == Record.DATA) {
      return sendData(endpoint, output, i);
    }
    long at = output.claim(types[i] == Record.DONE ? 24 : 32);
    if (at < 0) {
      return false;
    }
    output.header(at, types[i], endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, sequences[i]);
    if (types[i] == Record.VALUE) {
      Ring.LONG.set(output.memory(), at + 24, values[i]);
    }
    output.publish(at, types[i] == Record.DONE ? 24 : 32);
    head++;
    return true;
  }

  private boolean sendData(ShmEndpoint endpoint, RingOutput output, int i) {
    int n = (int) Math.min(output.longestPayload(), values[i] - done);
    long at = output.claim(32 + n);
    if (at < 0) {
      return false;
    }
    ShmRegion region = regions[i];
    if (!region.acquire()) {
      long sequence = sequences[i];
      clear();
      endpoint.refuse(sequence, Status.REMOTE_ACCESS, "the region of a read under way was closed");
      return false;
    }
    try {
      MemorySegment.copy(region.segment(), offsets[i] + done, output.memory(), at + 32, n);
    } finally {
      region.release();
    }
    output.header(at, Record.DATA, endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, sequences[i]);
    Ring.LONG.set(output.memory(), at + 24, done);
    output.publish(at, 32 + n);
    done += n;
    if (done == values[i]) {
      done = 0;
      regions[i] = null;
      head++;
    }
    return true;
  }

  void clear() {
    while (head < tail) {
      regions[(int) (head++ % types.length)] = null;
    }
    done = 0;
  }
}
