package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.Nullable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;

/** A call as seen by the worker. Thread-safe. */
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
   * @return completes when the caller has room for the next part. A part that is written earlier is not sent, and the call fails with
   * {@code FUNCTION_FAILED}. Fails if the part is too large, or the caller has cancelled or requested no stream
   */
  Future<Void> write(Buffer part);

  /** Returns the time until the call's timeout; null if it has none, zero if it has passed. */
  @Nullable
  Duration remaining();

  /** Returns whether the result is no longer needed: the call was cancelled or timed out, its caller died, or the lease ended. */
  boolean isCancelled();

  /** Sets a handler that is called on the worker's event loop when the result is no longer needed, or immediately if that has happened. */
  Invocation cancelHandler(Handler<Void> handler);
}
