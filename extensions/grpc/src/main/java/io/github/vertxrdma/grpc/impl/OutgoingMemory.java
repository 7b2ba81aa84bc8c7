package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import java.util.function.IntFunction;

/**
 * Registered memory for long frames of a connection. It is not available at once while it is being registered, and never if the connection
 * belongs to another thread. Frames without it use the heap, and more of them each time before it is requested again. Confined to the
 * connection's context.
 */
final class OutgoingMemory {
  /** Maximum number of frames that use the heap before memory is requested again. */
  static final int MOST_SKIPPED = 1024;

  private final IntFunction<Future<RdmaMessage>> connection;
  /** The last memory that was not available at once; null if there was none. */
  private Future<RdmaMessage> late;
  /** Frames that use the heap after the next time that memory is not available at once. */
  private int patience;
  private int skipped;

  /** @param connection allocates memory of a size */
  OutgoingMemory(IntFunction<Future<RdmaMessage>> connection) {
    this.connection = connection;
  }

  /** Returns memory of a size, which the caller owns; null if it is not available at once. */
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
