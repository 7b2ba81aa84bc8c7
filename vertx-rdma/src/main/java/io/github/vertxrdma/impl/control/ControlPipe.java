package io.github.vertxrdma.impl.control;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/** One TCP connection under a control connection, or what plays one in a simulation. Confined to the loop of its {@link ControlHost}. */
public interface ControlPipe {

  /** Hears the bytes that come, in their order, cut anywhere. */
  void handler(Handler<Buffer> handler);

  /** Hears why it ends, before {@link #closeHandler} does, if an error was seen. */
  void exceptionHandler(Handler<Throwable> handler);

  /** Hears once that it has ended, whoever closed it. */
  void closeHandler(Handler<Void> handler);

  SocketAddress remoteAddress();

  /** Tells whether so much waits for the peer that no more should be written. */
  boolean writeQueueFull();

  /** @return completes when the operating system has it; fails if the connection ends first */
  Future<Void> write(Buffer data);

  /** Closes it, behind what was written. Idempotent. */
  void close();
}
