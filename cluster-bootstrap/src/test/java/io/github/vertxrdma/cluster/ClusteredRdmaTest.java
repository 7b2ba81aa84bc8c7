package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ClusteredRdmaTest {
  @TempDir
  Path temp;

  private Path secret(String name) throws Exception {
    return Files.writeString(temp.resolve(name), "the secret of " + name + " is long enough");
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"nio", ""})
  void aKilledPeerIsNoticedByAll(String fabric) throws Exception {
    int port = Clusters.freePorts();
    String secret = secret("all").toString();
    Vertx vertx = ClusteredVertxTest.clustered(port);
    try (ChildJvm child = ChildJvm.start(Owner.class, Integer.toString(port), secret, fabric)) {
      Rdma rdma = Rdma.create(vertx, options(secret, fabric));
      child.await("ready");
      RdmaConnection connection = await(rdma.connect("orders", new RdmaConnectOptions().setLookupTimeout(Duration.ofSeconds(30))));
      List<String> heard = new CopyOnWriteArrayList<>();
      connection.handler(message -> heard.add(message.toString())).exceptionHandler(e -> heard.add(e.getMessage()));
      await(connection.write(Buffer.buffer("hello")));
      until("it answers", () -> heard.contains("hello to you"));
      RemoteRegion table = await(rdma.openRegion("table"));
      assertEquals("shared", await(table.read(0, 6)).toString());
      assertEquals(0, await(table.fetchAndAdd(64, 5)));
      assertEquals(5, await(table.fetchAndAdd(64, 1)));
      System.out.println("clustered: connection and region over " + table.fabric());

      child.kill();
      long start = System.nanoTime();
      until("the connection has ended", () -> heard.size() > 1);
      long connectionMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      Throwable lost = assertThrows(ExecutionException.class, () -> {
        while (true) {
          await(table.read(0, 6));
        }
      }).getCause();
      long regionMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      until("the directory forgets it", () -> directory(rdma).services("orders").isEmpty() && directory(rdma).region("table").isEmpty());
      System.out.println("clustered: kill -9 ended the connection after " + connectionMillis + " ms, the region after " + regionMillis
        + " ms; " + heard.getLast() + "; " + lost.getMessage());
      await(rdma.close());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void errorNamesTheDifferentSecret() throws Exception {
    int port = Clusters.freePorts();
    Vertx vertx = ClusteredVertxTest.clustered(port);
    Vertx other = ClusteredVertxTest.clustered(port);
    try {
      Rdma rdma = Rdma.create(vertx, options(secret("one").toString(), ""));
      Rdma stranger = Rdma.create(other, options(secret("two").toString(), ""));
      await(rdma.createServer().connectHandler(connection -> {}).listen("orders"));
      Future<RdmaConnection> refused = stranger.connect("orders", new RdmaConnectOptions().setLookupTimeout(Duration.ofSeconds(30)));
      String message = assertThrows(ExecutionException.class, () -> await(refused)).getCause().getMessage();
      assertTrue(message.contains("secret"), message);
    } finally {
      await(vertx.close());
      await(other.close());
    }
  }

  private static RdmaDirectory directory(Rdma rdma) {
    return rdma.directory().toCompletionStage().toCompletableFuture().join();
  }

  private static RdmaOptions options(String secret, String fabric) {
    return new RdmaOptions().setSecretFile(secret).setFabric(fabric.isEmpty() ? null : fabric);
  }

  static final class Owner {
    public static void main(String[] args) throws Exception {
      Rdma rdma = Rdma.create(ClusteredVertxTest.clustered(Integer.parseInt(args[0])), options(args[1], args.length > 2 ? args[2] : ""));
      MemoryRegion table = await(rdma.createRegion(new RegionOptions().setName("table").setSize(1 << 20)
        .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
      table.segment().copyFrom(MemorySegment.ofArray("shared".getBytes()));
      await(rdma.createServer()
        .connectHandler(connection -> connection.handler(message -> connection.write(Buffer.buffer(message + " to you"))))
        .listen("orders"));
      System.out.println("ready");
      Thread.sleep(100_000);
    }
  }
}
