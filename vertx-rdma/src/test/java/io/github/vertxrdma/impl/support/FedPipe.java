package io.github.vertxrdma.impl.support;

import io.github.vertxrdma.impl.peers.ControlPipe;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/** Input of a control connection that a test feeds. */
public final class FedPipe implements ControlPipe {
  private Handler<Buffer> handler;
  private Handler<Throwable> closeHandler;

  public void feed(Buffer data) {
    handler.handle(data);
  }

  @Override
  public void handler(Handler<Buffer> value) {
    handler = value;
  }

  @Override
  public void closeHandler(Handler<Throwable> value) {
    closeHandler = value;
  }

  @Override
  public SocketAddress remoteAddress() {
    return null;
  }

  @Override
  public boolean writeQueueFull() {
    return false;
  }

  @Override
  public Future<Void> write(Buffer data) {
    return Future.succeededFuture();
  }

  @Override
  public void close() {
    closeHandler.handle(null);
  }
}
