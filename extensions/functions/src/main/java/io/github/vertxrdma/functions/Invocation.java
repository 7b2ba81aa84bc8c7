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

  /** Returns the argument; it belongs to the function. */
  Buffer arguments();

  /** Returns the id of the caller's node. */
  String client();

  /**
   * Sends a part of a {@link FunctionClient#stream stream} before the final result.
   *
   * @param part belongs to the invocation; at most the smaller {@code maxMessageSize} of both nodes less 9 bytes
   * @return completes when the caller has room for the next part, which must wait for it: otherwise it is not sent, and the call fails with
   *   {@code FUNCTION_FAILED}. Fails if the part is too large, the caller has cancelled, or requested no stream
   */
  Future<Void> write(Buffer part);

  /** Returns the time until the caller gives up; null without a limit, zero if it has passed. */
  @Nullable
  Duration remaining();

  /** Returns whether the result is no longer needed: the call was cancelled, its time has passed, its caller died or the lease ended. */
  boolean isCancelled();

  /** Sets a handler that is called on the worker's event loop when the result is no longer needed, at once if that is so already. */
  Invocation cancelHandler(Handler<Void> handler);
}
