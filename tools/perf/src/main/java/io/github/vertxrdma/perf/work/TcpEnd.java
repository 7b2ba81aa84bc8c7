package io.github.vertxrdma.perf.work;

import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;

abstract class TcpEnd extends End {
  final NetClient client = vertx.createNetClient();
  final NetServer server = vertx.createNetServer();

  TcpEnd(Setup setup) {
    super(setup);
  }
}
