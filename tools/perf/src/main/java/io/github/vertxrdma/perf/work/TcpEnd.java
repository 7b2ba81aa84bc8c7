package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;

/** One end that uses Vert.x's own sockets. */
abstract class TcpEnd implements Workload {
  static final String HOST = "127.0.0.1";

  final Setup setup;
  final Vertx vertx = Vertx.vertx(NodeOptions.vertx());
  final Context context = vertx.getOrCreateContext();
  final NetClient client = vertx.createNetClient();
  final NetServer server = vertx.createNetServer();

  TcpEnd(Setup setup) {
    this.setup = setup;
  }

  @Override
  public void close() throws Exception {
    Await.await(vertx.close());
  }
}
