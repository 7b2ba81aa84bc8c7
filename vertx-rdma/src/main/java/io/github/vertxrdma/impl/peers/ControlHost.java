package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;

/** Timers and connections for {@link ControlLinks}: an event loop, or a simulation. */
public interface ControlHost extends Scheduler {

  interface Listening {
    int port();

    Future<Void> close();
  }

  <T> Promise<T> promise();

  /** Returns the maximum number of connections from one address that have not proved the secret. */
  default int mostUnprovenOfOne() {
    return ControlLinks.MOST_UNPROVEN_OF_ONE;
  }

  /**
   * Listens.
   *
   * @param accepted called on the loop before the connection's bytes are read
   * @return completes on the loop; fails with an {@code IOException} if the port is in use
   */
  Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted);

  /**
   * Connects.
   *
   * @return completes on the loop before bytes are read; fails with a {@code ConnectException} if the address refuses, a {@code
   * ConnectTimeoutException} if it does not answer
   */
  Future<ControlPipe> connect(String host, int port, int timeoutMillis);
}
