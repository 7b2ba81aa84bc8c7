package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;

/**
 * Parts that a function sends ({@link Invocation#write}). The function must wait while 256 KiB are unread. Handlers run on the caller's
 * context.
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

  /** Returns the final result, which may complete before the last parts are read. */
  Future<Buffer> result();

  void cancel();
}
