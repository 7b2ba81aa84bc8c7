package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;

/** TCP connections that are made and closed. */
final class TcpConnects extends TcpEnd {

  TcpConnects(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    server.connectHandler(socket -> socket.handler(socket::write));
    Await.await(server.listen(setup.port(), HOST));
    return nothing();
  }

  @Override
  public void connect(JsonObject ignored) throws Exception {
    Await.await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return measure(size, nanos, setup.connections(), () -> client.connect(setup.port(), HOST).compose(NetSocket::close));
  }
}
