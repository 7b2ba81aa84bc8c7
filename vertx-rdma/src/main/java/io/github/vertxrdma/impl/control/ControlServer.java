package io.github.vertxrdma.impl.control;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Listens on the first free port of the range. Transports name a port in use differently, but always by an IOException. */
final class ControlServer {
  private final ControlTcp tcp;
  private final ControlSettings settings;
  private final Handler<ControlPipe> handler;
  private Channel server;

  ControlServer(ControlTcp tcp, ControlSettings settings, Handler<ControlPipe> handler) {
    this.tcp = tcp;
    this.settings = settings;
    this.handler = handler;
  }

  /** On the context that is to serve the connections. */
  Future<Integer> listen() {
    return listen(settings.firstPort());
  }

  Future<Void> close() {
    return ControlTcp.close(server);
  }

  private Future<Integer> listen(int port) {
    return tcp.listen(settings.host(), port, handler).map(listening -> {
      server = listening;
      return ((InetSocketAddress) listening.localAddress()).getPort();
    }).recover(failure -> failure instanceof IOException && port < settings.lastPort() ? listen(port + 1)
      : Future.failedFuture(new IllegalStateException("no control port could be opened on " + settings.host() + ", ports "
        + settings.firstPort() + '-' + settings.lastPort() + ": " + failure.getMessage() + "; free one or give another range or address",
        failure)));
  }
}
