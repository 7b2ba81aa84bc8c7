package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** A call in flight. Thread-safe. */
public interface Call {

  /** Returns the result, owned by the caller. Completes on the caller's context, and fails with {@link FunctionException}. */
  Future<Buffer> result();

  /** Fails {@link #result} with {@code CANCELLED} unless it is complete. A running function can check {@link Invocation#isCancelled}. */
  void cancel();
}
