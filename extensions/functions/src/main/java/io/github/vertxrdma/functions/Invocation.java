package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.Nullable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;

/** A call as the worker sees it. Any thread. */
public interface Invocation {

  /** The function's name. */
  String function();

  /** Tells apart the calls of one lease on one worker. */
  long id();

  /** The caller's argument; belongs to the function. */
  Buffer arguments();

  /** The caller's node. */
  String client();

  /**
   * Sends a part of a long result ahead of the result proper, in order, to a caller that asked for a {@link FunctionClient#stream stream}.
   *
   * @param part belongs to the invocation; 0 … the smaller {@code maxMessageSize} of both nodes less 9 bytes
   * @return completes when the caller's window has room for more: wait for it before the next part; fails if nobody waits any more, the
   *   caller asked for a single result, or the part is too large ({@code RESULT_TOO_LARGE}), which then is not sent. A part that is written
   *   while there is no room is not sent either: its write fails, and the call with {@code FUNCTION_FAILED}, as its result would lack it
   */
  Future<Void> write(Buffer part);

  /** Time until the caller gives up; null if it never does, zero if it has. */
  @Nullable
  Duration remaining();

  /** Whether nobody waits for the result any more: it was cancelled, its time is up, the caller is gone or its lease has ended. */
  boolean isCancelled();

  /** Hears that nobody waits any more, on the worker's event loop; at once if that is so. */
  Invocation cancelHandler(Handler<Void> handler);
}
