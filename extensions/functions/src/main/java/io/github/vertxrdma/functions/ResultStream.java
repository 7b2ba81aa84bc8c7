package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;

/**
 * What a function sends while it runs ({@link Invocation#write}), part by part. A paused reader holds the function back. Handlers run on
 * the caller's context; a failure is heard by the exception handler, the end by the end handler, after all parts.
 */
public interface ResultStream extends ReadStream<Buffer> {

  @Override
  ResultStream handler(Handler<Buffer> handler);

  @Override
  ResultStream exceptionHandler(Handler<Throwable> handler);

  @Override
  ResultStream endHandler(Handler<Void> handler);

  @Override
  ResultStream pause();

  @Override
  ResultStream resume();

  @Override
  ResultStream fetch(long amount);

  /** The function's result proper; complete before the last parts are read, if they are read late. */
  Future<Buffer> result();

  /** Gives it up, like {@link Call#cancel}. */
  void cancel();
}
