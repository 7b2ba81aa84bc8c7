package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.process.StockProcess;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StoppedServerTest {
  @TempDir
  Path folder;

  private interface Body {
    void run(ChildJvm server, NetClient client, int port) throws Exception;
  }

  private interface VertxBody {
    void run(ChildJvm server, Vertx client, int port) throws Exception;
  }

  /** Devices are found once for each set of settings, so all use one folder of shared memory. */
  private RdmaOptions options(String fabric) {
    return StackSettings.options(folder, fabric).setSettings(new JsonObject().put("runtime", folder.resolve("run").toString()));
  }

  private void withStoppedServer(RdmaOptions options, Body body) throws Exception {
    withServer(options, (server, vertx, port) -> {
      NetClient client = vertx.createNetClient();
      until("the first connection is made", () -> await(client.connect(port, "127.0.0.1"), null) != null);
      server.signal("STOP");
      body.run(server, client, port);
      Reference.reachabilityFence(client);
    });
  }

  private void withServer(RdmaOptions options, VertxBody body) throws Exception {
    try (StackSettings settings = new StackSettings(folder, options);
      ChildJvm server = ChildJvm.start(StockProcess.class, "-", "vertx.rdma.runtime=" + folder.resolve("run"),
        "vertx.rdma.config=" + folder.resolve("config.json"), "vertx.rdma.streams=all")) {
      System.setProperty(TransportOptions.STREAMS, "all");
      int port = Integer.parseInt(server.await("serves "));
      Vertx vertx = Vertx.vertx();
      try {
        StackSettings.awaitServer(vertx, options, port);
        body.run(server, vertx, port);
      } finally {
        await(vertx.close());
      }
    }
  }

  private static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  @Test
  void connectionToStoppedServerIsMadeByTheKernelAndMovesLater() throws Exception {
    withStoppedServer(options(null), (server, client, port) -> {
      long channels = TransportCounters.PROCESS.channels();
      NetSocket socket = await(client.connect(port, "127.0.0.1"));
      Promise<Void> answered = Promise.promise();
      socket.handler(bytes -> answered.tryComplete());
      await(socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      assertEquals(channels, TransportCounters.PROCESS.channels());
      server.signal("CONT");
      await(answered.future());
      until("the connection has moved", () -> TransportCounters.PROCESS.channels() > channels);
    });
  }

  @Test
  void connectionFailsWhenTheForcedFabricDoesNotAnswer() throws Exception {
    withStoppedServer(options("shm").setConnectTimeout(Duration.ofMillis(1500)), (server, client, port) -> {
      long fallbacks = TransportCounters.PROCESS.fallbacks();
      Throwable cause = assertThrows(ExecutionException.class, () -> await(client.connect(port, "127.0.0.1"))).getCause();
      assertEquals(RdmaException.Reason.UNREACHABLE, assertInstanceOf(RdmaException.class, cause).reason(), cause::toString);
      String words = cause.getMessage();
      assertTrue(words.contains(" did not answer over the control connection within 1000 ms"), words);
      assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks());
    });
  }

  @Test
  void forcedFabricConnectsToAServerThatGoesOnWithinTheConnectTimeout() throws Exception {
    withServer(options("shm").setConnectTimeout(Duration.ofSeconds(60)), (server, vertx, port) -> {
      long channels = TransportCounters.PROCESS.channels();
      NetClient client = vertx.createNetClient();
      server.signal("STOP");
      Future<NetSocket> connecting = client.connect(port, "127.0.0.1");
      await(vertx.timer(5, TimeUnit.SECONDS));
      server.signal("CONT");
      await(connecting);
      until("the server uses the fabric, too", () -> TransportCounters.PROCESS.channels() == channels + 1);
      Reference.reachabilityFence(client);
    });
  }
}
