package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.AnswerQueue;
import io.github.vertxrdma.provider.software.SoftwareRegion;

final class ShmAnswers extends AnswerQueue {

  ShmAnswers() {
    super(2 * ShmDevice.READS_IN_FLIGHT + 1);
  }

  /** Queues an answer. Returns false if the peer has more requests in flight than permitted. */
  boolean offer(int type, long sequence, ShmRegion region, long offset, long value) {
    if (type == Record.DONE && !isEmpty() && last().type() == Record.DONE) {
      // One DONE reports this write and the earlier one.
      last().sequence(sequence);
      return true;
    }
    if (isFull()) {
      return false;
    }
    add(type, sequence, region, offset, value);
    return true;
  }

  /** Sends the first answer, or a part of it. Returns false if there is no room. */
  boolean sendFirst(ShmEndpoint endpoint) {
    Answer first = first();
    RingOutput output = endpoint.peering().output;
    if (first.type() == Record.DATA) {
      return sendData(endpoint, output, first);
    }
    int length = first.type() == Record.DONE ? 24 : 32;
    long at = output.claim(length);
    if (at < 0) {
      return false;
    }
    output.header(at, first.type(), endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, first.sequence());
    if (first.type() == Record.VALUE) {
      Ring.LONG.set(output.memory(), at + 24, first.value());
    }
    output.publish(at, length);
    remove();
    return true;
  }

  private boolean sendData(ShmEndpoint endpoint, RingOutput output, Answer read) {
    int n = (int) Math.min(output.longestPayload(), read.value() - read.sent());
    long at = output.claim(32 + n);
    if (at < 0) {
      return false;
    }
    SoftwareRegion region = read.region();
    if (!region.acquire()) {
      long sequence = read.sequence();
      clear();
      endpoint.refuse(sequence, Status.REMOTE_ACCESS, "the region was closed during a read");
      return false;
    }
    try {
      region.get(read.offset(), output.memory(), at + 32, n);
    } finally {
      region.release();
    }
    output.header(at, Record.DATA, endpoint.peerNumber(), 0);
    Ring.LONG.set(output.memory(), at + 16, read.sequence());
    Ring.LONG.set(output.memory(), at + 24, read.sent());
    output.publish(at, 32 + n);
    if (read.advance(n)) {
      remove();
    }
    return true;
  }
}
