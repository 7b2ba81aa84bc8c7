package io.github.vertxrdma.impl.control;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.io.IOException;

/** Listens on the first free port of the range. Transports name a port in use differently, but always by an IOException. */
final class ControlServer {
  private final ControlHost host;
  private final ControlSettings settings;
  private final Handler<ControlPipe> handler;
  private ControlHost.Listening listening;

  ControlServer(ControlHost host, ControlSettings settings, Handler<ControlPipe> handler) {
    this.host = host;
    this.settings = settings;
    this.handler = handler;
  }

  /** On the loop that is to serve the connections. */
  Future<Integer> listen() {
    return listen(settings.firstPort());
  }

  Future<Void> close() {
    return listening == null ? Future.succeededFuture() : listening.close();
  }

  private Future<Integer> listen(int port) {
    return host.listen(settings.host(), port, handler).map(opened -> {
      listening = opened;
      return opened.port();
    }).recover(failure -> failure instanceof IOException && port < settings.lastPort() ? listen(port + 1)
      : Future.failedFuture(new IllegalStateException("no control port could be opened on " + settings.host() + ", ports "
        + settings.firstPort() + '-' + settings.lastPort() + ": " + failure.getMessage() + "; free one or give another range or address",
        failure)));
  }
}
