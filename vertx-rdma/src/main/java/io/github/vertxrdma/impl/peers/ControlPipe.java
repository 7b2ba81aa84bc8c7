package io.github.vertxrdma.impl.peers;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/** Byte stream of a control connection: TCP, a Unix socket or a simulation. */
public interface ControlPipe {

  void handler(Handler<Buffer> handler);

  /** Sets a handler that is called when the connection ends, with the error or null. */
  void closeHandler(Handler<Throwable> handler);

  SocketAddress remoteAddress();

  /** Returns whether the kernel states that both ends are in one network namespace. */
  default boolean isNear() {
    return false;
  }

  boolean writeQueueFull();

  /** @return completes when the operating system has the bytes; fails if the connection ends first */
  Future<Void> write(Buffer data);

  /** Closes after sending written bytes. Idempotent. */
  void close();
}
