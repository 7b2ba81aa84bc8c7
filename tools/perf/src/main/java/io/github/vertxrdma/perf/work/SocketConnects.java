package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;

/** Connections of a {@code NetClient} to a {@code NetServer} on the wildcard address. */
final class SocketConnects extends TcpEnd {
  private static final String WILDCARD = "0.0.0.0";

  SocketConnects(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    server.connectHandler(socket -> socket.handler(socket::write));
    FutureAwait.await(server.listen(setup.port(), WILDCARD));
    return nothing();
  }

  @Override
  public void connect(JsonObject ignored) throws Exception {
    FutureAwait.await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return measure(size, nanos, setup.connections(), () -> client.connect(setup.port(), HOST).compose(NetSocket::close));
  }
}
