package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** A call in flight. Thread-safe. */
public interface Call {

  /** Completes on the caller's context; fails with {@link FunctionException}. The buffer belongs to the caller. */
  Future<Buffer> result();

  /**
   * Cancels the call: {@link #result} fails with {@code CANCELLED} unless it is complete. A call that has not begun is dropped; a running
   * function can check {@link Invocation#isCancelled}.
   */
  void cancel();
}
