package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import java.util.function.IntFunction;

/**
 * Allocates registered memory for long frames. A frame uses the heap if none is available immediately. After each failure, more frames use
 * the heap before the next request.
 */
final class OutgoingMemory {
  static final int MOST_SKIPPED = 1024;

  private final IntFunction<Future<RdmaMessage>> connection;
  private Future<RdmaMessage> late;
  /** Number of frames that use the heap after the next failure. */
  private int nextSkipped;
  private int skipped;

  OutgoingMemory(IntFunction<Future<RdmaMessage>> connection) {
    this.connection = connection;
  }

  /** Returns memory that the caller owns; null if it is not available immediately. */
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
      nextSkipped = 0;
      return memory.result();
    }
    memory.onSuccess(RdmaMessage::release);
    late = memory;
    skipped = nextSkipped;
    nextSkipped = Math.min(MOST_SKIPPED, 2 * nextSkipped + 1);
    return null;
  }
}
