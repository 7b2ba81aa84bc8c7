package io.github.vertxrdma.impl.control;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.io.IOException;

/** Listens on the first free port of the range. Transports name a port in use differently, but always by an IOException. */
final class ControlServer {
  private final Vertx vertx;
  private final ControlSettings settings;
  private final Handler<NetSocket> handler;
  private NetServer server;

  ControlServer(Vertx vertx, ControlSettings settings, Handler<NetSocket> handler) {
    this.vertx = vertx;
    this.settings = settings;
    this.handler = handler;
  }

  /** On the context that is to serve the connections. */
  Future<Integer> listen() {
    return listen(settings.firstPort());
  }

  Future<Void> close() {
    return server == null ? Future.succeededFuture() : server.close();
  }

  private Future<Integer> listen(int port) {
    NetServer candidate = vertx.createNetServer(new NetServerOptions().setHost(settings.host()).setPort(port)).connectHandler(handler);
    return candidate.listen().map(listening -> {
      server = listening;
      return listening.actualPort();
    }).recover(failure -> failure instanceof IOException && port < settings.lastPort() ? listen(port + 1)
      : Future.failedFuture(new IllegalStateException("no control port could be opened on " + settings.host() + ", ports "
        + settings.firstPort() + '-' + settings.lastPort() + ": " + failure.getMessage() + "; free one or give another range or address",
        failure)));
  }
}
