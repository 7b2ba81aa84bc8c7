package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NioConnectionTest extends FabricPair {
  @Override
  String fabric() {
    return "nio";
  }

  @Test
  void byHostAndPort() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Rdma rdma = Rdma.create(vertx, options());
      RdmaServer server = await(
        rdma.createServer().connectHandler(c -> c.handler(c::write)).listen(SocketAddress.inetSocketAddress(0, "localhost")));
      RdmaConnection connection = await(
        rdma.connect(SocketAddress.inetSocketAddress(server.actualPort(), "localhost"), new RdmaConnectOptions()));
      Promise<Buffer> got = Promise.promise();
      connection.handler(got::tryComplete);
      connection.write(Buffer.buffer("here"));
      assertEquals("here", await(got.future()).toString());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void closingOneLeavesWhatTheOtherOpened() throws Exception {
    Rdma one = Rdma.create(serverVertx, options());
    Promise<Void> cut = Promise.promise();
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("stays"));
    await(one.createServer().connectHandler(c -> c.handler(c::write)).listen("goes"));
    RdmaConnection goes = await(client.connect("goes"));
    goes.closeHandler(v -> cut.complete());
    RdmaConnection stays = await(client.connect("stays"));
    await(one.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    await(one.close());
    await(cut.future());
    Promise<Buffer> got = Promise.promise();
    stays.handler(got::tryComplete);
    stays.write(Buffer.buffer("here"));
    assertEquals("here", await(got.future()).toString());
    assertEquals(0, await(server.directory()).regions().size());
    assertEquals(RdmaException.Reason.CLOSED, reason(one.connect("stays")));
  }
}
