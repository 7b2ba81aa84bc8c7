package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicLong;

/** Messages that other threads have handed to a client's event loop, and that it has not come to: their bytes are bounded. Thread-safe. */
final class ClientBacklog {
  private final String service;
  private final AtomicLong bytes = new AtomicLong();

  ClientBacklog(String service) {
    this.service = service;
  }

  /** Adds a message. @return false if too much is there already: the message is released, and the promise has failed */
  boolean add(ByteBuf message, Promise<?> promise) {
    long before = bytes.get();
    if (before <= BusLink.MAX_PENDING) {
      bytes.addAndGet(message.readableBytes());
      return true;
    }
    message.release();
    promise.fail(
      new RdmaException(Reason.LIMIT, "service '" + service + "': " + before + " bytes wait for the event loop of its client, at most "
        + BusLink.MAX_PENDING + " may; wait for the futures of what was sent"));
    return false;
  }

  /** The loop has come to a message. */
  void remove(ByteBuf message) {
    bytes.addAndGet(-message.readableBytes());
  }
}
