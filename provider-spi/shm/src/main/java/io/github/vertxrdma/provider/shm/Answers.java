package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.EntryRing;
import java.lang.foreign.MemorySegment;

/**
 * Answers that an endpoint owes its peer: data of reads, results of atomics, the ends of writes, in the order in which they were asked for.
 */
final class Answers {
  private static final class Answer {
    int type;
    long sequence;
    ShmRegion region;
    long offset;
    /** Bytes of a read, the value of an atomic. */
    long value;
  }

  private final int capacity;
  /** Null before the first. */
  private EntryRing<Answer> answers;
  /** Bytes of the first read that were sent. */
  private long done;

  Answers(int capacity) {
    this.capacity = capacity;
  }

  boolean isEmpty() {
    return answers == null || answers.isEmpty();
  }

  /** @return false if the peer has asked for more at once than it may */
  boolean add(int type, long sequence, ShmRegion region, long offset, long value) {
    if (type == Record.DONE && !isEmpty()) {
      Answer last = answers.get(answers.tail() - 1);
      if (last.type == Record.DONE) {
        // One word for both writes.
        last.sequence = sequence;
        return true;
      }
    }
    if (answers == null) {
      answers = new EntryRing<>(Answer::new);
    }
    if (answers.size() == capacity) {
      return false;
    }
    Answer answer = answers.next();
    answer.type = type;
    answer.sequence = sequence;
    answer.region = region;
    answer.offset = offset;
    answer.value = value;
    answers.add();
    return true;
  }

  /** Sends the first answer, or a part of it. @return false if there is no room, or the connection is over */
  boolean sendFirst(ShmEndpoint endpoint) {
    Answer first = answers.first();
    RingOutput output = endpoint.peering().output();
    if (first.type == Record.DATA) {
      return sendData(endpoint, output, first);
    }
    int length = first.type == Record.DONE ? 24 : 32;
    long at = output.claim(length);
    if (at < 0) {
      return false;
    }
    output.header(at, first.type, endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, first.sequence);
    if (first.type == Record.VALUE) {
      Ring.LONG.set(output.memory(), at + 24, first.value);
    }
    output.publish(at, length);
    remove();
    return true;
  }

  private boolean sendData(ShmEndpoint endpoint, RingOutput output, Answer read) {
    int n = (int) Math.min(output.longestPayload(), read.value - done);
    long at = output.claim(32 + n);
    if (at < 0) {
      return false;
    }
    ShmRegion region = read.region;
    if (!region.acquire()) {
      long sequence = read.sequence;
      clear();
      endpoint.refuse(sequence, Status.REMOTE_ACCESS, "the region of a read under way was closed");
      return false;
    }
    try {
      MemorySegment.copy(region.segment(), read.offset + done, output.memory(), at + 32, n);
    } finally {
      region.release();
    }
    output.header(at, Record.DATA, endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, read.sequence);
    Ring.LONG.set(output.memory(), at + 24, done);
    output.publish(at, 32 + n);
    done += n;
    if (done == read.value) {
      done = 0;
      remove();
    }
    return true;
  }

  private void remove() {
    answers.first().region = null;
    answers.remove();
  }

  void clear() {
    while (!isEmpty()) {
      remove();
    }
    done = 0;
  }
}
