package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;

/**
 * Everything that the control connections of a node need of the world: a {@link Scheduler} and TCP, in production those of an event loop.
 */
public interface ControlHost extends Scheduler {

  /** A socket that listens. */
  interface Listening {
    int port();

    Future<Void> close();
  }

  /** Makes a promise whose future completes where the caller expects it, in production on its context. Any thread. */
  <T> Promise<T> promise();

  /**
   * Listens.
   *
   * @param port 0 for any
   * @param accepted on the loop, before anything is read
   * @return completes on the loop; fails with an {@link java.io.IOException} if the port is in use
   */
  Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted);

  /**
   * Connects.
   *
   * @return completes on the loop, before anything is read; fails with a {@link java.net.ConnectException} if nobody listens there, with
   *         {@link io.netty.channel.ConnectTimeoutException} if nobody answers
   */
  Future<ControlPipe> connect(String host, int port, int timeoutMillis);
}
