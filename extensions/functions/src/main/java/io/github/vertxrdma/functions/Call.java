package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** A call under way. Any thread. */
public interface Call {

  /** Completes once, on the caller's context; fails with {@link FunctionException}. The buffer belongs to the caller. */
  Future<Buffer> result();

  /**
   * Gives it up: {@link #result} fails with {@code CANCELLED} unless it is complete. The worker is told, and drops the call if it has not
   * begun; a function that runs can see it ({@link Invocation#isCancelled}).
   */
  void cancel();
}
