package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.util.function.Supplier;

/** Timers and connections for {@link ControlLinks}: an event loop, or a simulation. */
public interface ControlHost extends Scheduler {

  record Listening(int port, Supplier<Future<Void>> closer) {
  }

  <T> Promise<T> promise();

  default int mostUnprovenOfOne() {
    return ControlLinks.MOST_UNPROVEN_OF_ONE;
  }

  /** Calls {@code accepted} on the loop before bytes are read. Fails with an {@code IOException} if the port is in use. */
  Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted);

  /** Fails with a {@code ConnectException} if the address refuses, with a {@code ConnectTimeoutException} if it does not answer. */
  Future<ControlPipe> connect(String host, int port, int timeoutMillis);
}
