package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.Nullable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;

/** A call as seen by the worker. Thread-safe. */
public interface Invocation {

  /** Returns the function's name. */
  String function();

  /** Returns an id that distinguishes the calls of one lease on one worker. */
  long id();

  /** Returns the caller's argument; it belongs to the function. */
  Buffer arguments();

  /** Returns the caller's node. */
  String client();

  /**
   * Sends a part of a long result before the final result, in order, to a caller that requested a {@link FunctionClient#stream stream}.
   *
   * @param part belongs to the invocation; 0 … the smaller {@code maxMessageSize} of both nodes less 9 bytes
   * @return completes when the caller's window has room for more: wait for it before the next part. Fails if the caller has cancelled,
   * requested a single result, or the part is too large ({@code RESULT_TOO_LARGE}) and not sent. A part that is written while there is no
   * room is not sent either: its write fails, and the call with {@code FUNCTION_FAILED}, because its result would be incomplete
   */
  Future<Void> write(Buffer part);

  /** Time until the caller gives up; null if it never does, zero if it has. */
  @Nullable
  Duration remaining();

  /** Returns whether the result is no longer needed: it was cancelled, its time has passed, the caller has died or its lease has ended. */
  boolean isCancelled();

  /** Sets a handler that is called when the result is no longer needed, on the worker's event loop; at once if that is so. */
  Invocation cancelHandler(Handler<Void> handler);
}
