package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicLong;

/** Limits the bytes of messages that other threads have queued on a client's event loop. Thread-safe. */
final class ClientBacklog {
  private final String service;
  private final AtomicLong bytes = new AtomicLong();

  ClientBacklog(String service) {
    this.service = service;
  }

  /** @return false if the limit is reached: releases the message and fails the promise */
  boolean add(ByteBuf message, Promise<?> promise) {
    long before = bytes.get();
    if (before <= BusLink.MAX_PENDING) {
      bytes.addAndGet(message.readableBytes());
      return true;
    }
    message.release();
    promise.fail(
      new RdmaException(Reason.LIMIT, "service '" + service + "': " + before + " bytes wait for the event loop of its client, at most "
        + BusLink.MAX_PENDING + " may; wait for the futures of sent messages"));
    return false;
  }

  void remove(ByteBuf message) {
    bytes.addAndGet(-message.readableBytes());
  }
}
