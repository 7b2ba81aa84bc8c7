package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import java.util.function.IntFunction;

/**
 * Registered memory for long frames of a connection. It is late while it is being registered, and always where the connection belongs to
 * another thread: frames that find none go by the heap, more of them each time before it is asked for again. Confined to the connection's
 * context.
 */
final class OutgoingMemory {
  /** Most frames that go by the heap before memory is asked for again. */
  static final int MOST_SKIPPED = 1024;

  private final IntFunction<Future<RdmaMessage>> connection;
  /** Memory that was late last; null if none was. */
  private Future<RdmaMessage> late;
  /** Frames that go by the heap after the next time that memory is late. */
  private int patience;
  private int skipped;

  /** @param connection allocates so many bytes */
  OutgoingMemory(IntFunction<Future<RdmaMessage>> connection) {
    this.connection = connection;
  }

  /** So many bytes, the caller's; null if they are not there at once. */
  RdmaMessage take(int size) {
    if (late != null && !late.isComplete()) {
      return null;
    }
    if (skipped > 0) {
      skipped--;
      return null;
    }
    Future<RdmaMessage> memory = connection.apply(size);
    if (memory.succeeded()) {
      patience = 0;
      return memory.result();
    }
    memory.onSuccess(RdmaMessage::release);
    late = memory;
    skipped = patience;
    patience = Math.min(MOST_SKIPPED, 2 * patience + 1);
    return null;
  }
}
