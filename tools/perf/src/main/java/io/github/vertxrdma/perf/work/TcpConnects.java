package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import java.util.Arrays;
import java.util.function.Supplier;

/** TCP connections that are made and closed. */
final class TcpConnects extends TcpEnd {

  TcpConnects(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    server.connectHandler(socket -> socket.handler(socket::write));
    Await.await(server.listen(setup.port(), HOST));
    return new JsonObject();
  }

  @Override
  public void connect(JsonObject ignored) throws Exception {
    Await.await(client.connect(setup.port(), HOST).compose(NetSocket::close));
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Sample run(int size, long nanos) throws Exception {
    Supplier[] operations = new Supplier[setup.connections()];
    Arrays.fill(operations, (Supplier<Future<?>>) () -> client.connect(setup.port(), HOST).compose(NetSocket::close));
    return ClosedLoop.run(context, size, nanos, (Supplier<? extends Future<?>>[]) operations);
  }
}
