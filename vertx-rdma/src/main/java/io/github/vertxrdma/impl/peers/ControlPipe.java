package io.github.vertxrdma.impl.peers;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/** TCP connection of a control connection, or a simulated one. */
public interface ControlPipe {

  /** Sets a handler for received bytes, in arbitrary pieces. */
  void handler(Handler<Buffer> handler);

  /** Sets a handler that is called with the error that ended the connection, or null. */
  void closeHandler(Handler<Throwable> handler);

  SocketAddress remoteAddress();

  boolean writeQueueFull();

  /** @return completes when the operating system has the bytes; fails if the connection ends first */
  Future<Void> write(Buffer data);

  /** Closes after sending written bytes. Idempotent. */
  void close();
}
