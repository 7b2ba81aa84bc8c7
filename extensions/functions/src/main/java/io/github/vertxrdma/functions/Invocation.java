package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.Nullable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;

/** A call at its worker. Thread-safe. */
public interface Invocation {

  String function();

  /** Returns an id that is unique for the lease and worker. */
  long id();

  /** Returns the arguments. The function owns the buffer. */
  Buffer arguments();

  /** Returns the id of the caller's node. */
  String client();

  /**
   * Sends a part of a {@link FunctionClient#stream stream} before the final result.
   *
   * @param part at most the smaller {@code maxMessageSize} of both nodes, less 9 bytes. Do not change it afterwards
   * @return completes when the next part may be written. A part that is written earlier fails the call with {@code FUNCTION_FAILED}. Fails
   * if the part is too large, or the call was cancelled or requested no stream
   */
  Future<Void> write(Buffer part);

  /** Returns the time until the call's timeout: null for none, zero if it has passed. */
  @Nullable
  Duration remaining();

  /** Returns whether the result is no longer needed, for example after a timeout or the end of the lease. */
  boolean isCancelled();

  /** Sets a handler that is called on the worker's event loop when the call is cancelled, or now if it was cancelled before. */
  Invocation cancelHandler(Handler<Void> handler);
}
