package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;

class NioConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "nio";
  }

  @Test
  void byHostAndPort() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Rdma rdma = Rdma.create(vertx, options());
      RdmaServer server = await(rdma.createServer().connectHandler(c -> c.handler(c::write)).listen(SocketAddress.inetSocketAddress(0, "localhost")));
      RdmaConnection connection = await(rdma.connect(SocketAddress.inetSocketAddress(server.actualPort(), "localhost"), new RdmaConnectOptions()));
      Promise<Buffer> got = Promise.promise();
      connection.handler(got::tryComplete);
      connection.write(Buffer.buffer("here"));
      assertEquals("here", await(got.future()).toString());
    } finally {
      await(vertx.close());
    }
  }
}
