package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeersRdmaTest {

  @Test
  void servicesAndRegionsAreFoundByNameBothWays() throws Exception {
    Vertx first = Vertx.vertx();
    Vertx second = Vertx.vertx();
    try {
      Rdma a = Rdma.create(first, new RdmaOptions().setFabric("nio"));
      int port = await(a.directory()).self().controlPort();
      Rdma b = Rdma.create(second, new RdmaOptions().setFabric("nio")
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC).addPeer("127.0.0.1:" + port)));
      await(a.createServer().connectHandler(connection -> connection.handler(connection::write)).listen("echo"));
      await(b.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE)));

      RdmaConnection connection = await(b.connect("echo"));
      CompletableFuture<Buffer> answer = new CompletableFuture<>();
      connection.handler(answer::complete);
      await(connection.write(Buffer.buffer("hello")));
      assertEquals("hello", answer.get(20, TimeUnit.SECONDS).toString());

      RemoteRegion table = await(a.openRegion("table"));
      await(table.write(8, Buffer.buffer("written")));
      assertEquals("written", await(table.read(8, 7)).toString());
    } finally {
      await(first.close());
      await(second.close());
    }
  }
}
