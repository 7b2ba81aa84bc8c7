package io.github.vertxrdma.process;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.atomic.AtomicLong;

final class Traffic {
  private static final long PERIOD_MILLIS = 4;
  private static final int BURST = 8;
  private static final int LARGEST = 40_000;

  private final Vertx vertx;
  private final Context context;
  private final RdmaConnection connection;
  private final AtomicLong sent = new AtomicLong();
  private final long timer;
  private volatile long received;
  private volatile String failure;
  private volatile boolean ended;
  private volatile boolean closed;

  Traffic(Vertx vertx, RdmaConnection connection) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.connection = connection;
    connection.exceptionHandler(e -> fail(e.getMessage())).closeHandler(v -> closed = true).endHandler(v -> ended = true)
      .handler(this::check);
    timer = vertx.setPeriodic(PERIOD_MILLIS, id -> write());
  }

  private void write() {
    for (int i = 0; i < BURST && !connection.writeQueueFull(); i++) {
      connection.write(message(sent.getAndIncrement())).onFailure(e -> fail("a write failed: " + e.getMessage()));
    }
  }

  /** Some messages exceed a receive, so that they are sent in parts. */
  static Buffer message(long number) {
    int size = number % 16 == 15 ? LARGEST : (int) (number * 37 % 2000);
    Buffer message = Buffer.buffer(8 + size).appendLong(number);
    for (int i = 0; i < size; i++) {
      message.appendByte((byte) (number + i));
    }
    return message;
  }

  private void check(Buffer message) {
    if (ended || !message.equals(message(received))) {
      fail("message " + received + " has " + message.length() + " bytes and number " + message.getLong(0)
        + (ended ? ", after the end" : ""));
    }
    if (++received % 64 == 0) {
      connection.pause();
      vertx.setTimer(3, id -> connection.resume());
    }
  }

  private void fail(String why) {
    if (failure == null) {
      failure = why;
    }
  }

  /**
   * Any thread.
   *
   * @return completes when the peer has all messages
   */
  Future<Void> end() {
    Promise<Void> over = Promise.promise();
    context.runOnContext(v -> {
      vertx.cancelTimer(timer);
      connection.end().onComplete(over);
    });
    return over.future();
  }

  long sent() {
    return sent.get();
  }

  long received() {
    return received;
  }

  String failure() {
    return failure;
  }

  boolean isEnded() {
    return ended;
  }

  boolean isClosed() {
    return closed;
  }
}
