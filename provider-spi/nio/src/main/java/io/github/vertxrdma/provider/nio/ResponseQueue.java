package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.EntryRing;
import io.github.vertxrdma.provider.software.SoftwareRegion;

/** Requests of a peer that have not been answered: reads and atomics, in order. */
final class ResponseQueue {
  private static final int CAPACITY = 2 * NioDevice.READS_IN_FLIGHT;

  /** A request. */
  static final class Response {
    boolean read;
    long sequence;
    SoftwareRegion region;
    /** Offset in the region at which the answered part starts. */
    long offset;
    /** Bytes of a read, or the old value of an atomic. */
    long value;
    /** Bytes that were answered. */
    long done;
  }

  /** Null before the first. */
  private EntryRing<Response> responses;

  boolean isEmpty() {
    return responses == null || responses.isEmpty();
  }

  boolean isFull() {
    return responses != null && responses.size() >= CAPACITY;
  }

  void addRead(long sequence, SoftwareRegion region, long offset, long length) {
    Response response = add(true, sequence, length);
    response.region = region;
    response.offset = offset;
    response.done = 0;
  }

  void addAtomic(long sequence, long oldValue) {
    add(false, sequence, oldValue);
  }

  private Response add(boolean read, long sequence, long value) {
    if (responses == null) {
      responses = new EntryRing<>(Response::new);
    }
    Response response = responses.next();
    response.read = read;
    response.sequence = sequence;
    response.value = value;
    responses.add();
    return response;
  }

  Response first() {
    return responses.first();
  }

  void remove() {
    responses.first().region = null;
    responses.remove();
  }
}
