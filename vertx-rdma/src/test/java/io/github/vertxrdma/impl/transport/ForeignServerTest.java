package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.transport.ForeignServer.Protocol;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class ForeignServerTest {
  private static final String HOST = "127.0.0.1";

  @TempDir
  Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  /** A client without references closes its connections. */
  private final List<Object> kept = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private RdmaOptions options(String fabric) {
    return StackSettings.options(folder, fabric).setSettings(new JsonObject().put("runtime", folder.resolve("run").toString()));
  }

  private Vertx start(RdmaOptions options, boolean streams) throws Exception {
    open.add(new StackSettings(folder, options));
    if (streams) {
      System.setProperty(TransportOptions.STREAMS, "all");
    } else {
      System.clearProperty(TransportOptions.STREAMS);
    }
    // NIO ignores setReusePort.
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    open.add(() -> await(vertx.close()));
    return vertx;
  }

  private int serve(RdmaOptions options) throws Exception {
    return await(start(options, true).createNetServer(new NetServerOptions().setReusePort(true))
      .connectHandler(socket -> socket.write("from ours")).listen(0, "0.0.0.0")).actualPort();
  }

  private static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  private NetSocket connect(Vertx vertx, NetClient client, int port, String greeting) throws Exception {
    kept.add(client);
    Buffer got = Buffer.buffer();
    Promise<Void> all = Promise.promise();
    NetSocket socket = awaitOnContext(vertx, () -> client.connect(port, HOST).map(connected -> connected.handler(bytes -> {
      if (got.appendBuffer(bytes).length() == greeting.length()) {
        all.tryComplete();
      }
    })));
    await(all.future());
    assertEquals(greeting, got.toString());
    return socket;
  }

  private List<String> log(Vertx vertx, ForeignServer server, Protocol protocol) throws Exception {
    int before = server.log().size();
    for (int i = 0; i < 3; i++) {
      int logged = server.log().size();
      if (protocol == Protocol.ONE_SHOT) {
        NetSocket socket = connect(vertx, vertx.createNetClient(), server.port(), ForeignServer.ONE_SHOT);
        await(socket.close());
      } else {
        var client = vertx.createHttpClient(new HttpClientOptions().setSsl(protocol == Protocol.TLS).setTrustAll(true)
          .setVerifyHost(false));
        assertEquals(ForeignServer.ONE_SHOT, await(client.request(HttpMethod.GET, server.port(), HOST, "/" + i)
          .compose(request -> request.send().compose(HttpClientResponse::body))).toString());
        await(client.close());
      }
      until("the connection is logged", () -> server.log().size() > logged);
    }
    return List.copyOf(server.log().subList(before, server.log().size()));
  }

  @ParameterizedTest
  @EnumSource
  void foreignServerLogsTheSameConnectionsAsFromAStockClient(Protocol protocol) throws Exception {
    int port = serve(options(null));
    Path key = null;
    if (protocol == Protocol.TLS) {
      StackSettings.key(folder);
      key = folder.resolve("server.p12");
    }
    try (ForeignServer server = new ForeignServer(HOST, port, protocol, key)) {
      List<String> stock = log(start(options(null), false), server, protocol);
      Vertx client = start(options(null), true);
      StackSettings.awaitServer(client, options(null), port);
      assertEquals(stock, log(client, server, protocol));
    }
  }

  @Test
  void wildcardServerIsReachedOverTheFabricAndItsApplicationSeesOneConnection() throws Exception {
    long channels = TransportCounters.PROCESS.channels();
    List<NetSocket> accepted = new CopyOnWriteArrayList<>();
    // The fabric is forced, so that a busy machine does not use TCP.
    RdmaOptions options = options("shm");
    int port = await(start(options, true).createNetServer().connectHandler(socket -> {
      accepted.add(socket);
      socket.write("from ours");
    }).listen(0, "0.0.0.0")).actualPort();
    Vertx client = start(options, true);
    StackSettings.awaitServer(client, options, port);
    NetClient net = client.createNetClient();
    await(Future.all(net.connect(port, HOST), net.connect(port, HOST)));
    connect(client, net, port, "from ours");
    connect(client, net, port, "from ours");
    Vertx stock = start(options, false);
    connect(stock, stock.createNetClient(), port, "from ours");
    until("the application sees all connections", () -> accepted.size() == 5);
    until("both ends have counted", () -> TransportCounters.PROCESS.channels() == channels + 8);
  }

  @Test
  void connectionToAForeignServerFailsWithTheReasonWhenTheFabricIsForced() throws Exception {
    int port = serve(options("shm"));
    try (ForeignServer server = new ForeignServer(HOST, port, Protocol.ONE_SHOT, null)) {
      Vertx client = start(options("shm"), true);
      StackSettings.awaitServer(client, options("shm"), port);
      NetClient net = client.createNetClient();
      Throwable cause = assertThrows(ExecutionException.class, () -> await(net.connect(port, HOST))).getCause();
      assertTrue(cause.getMessage().contains("over a fabric: the peer closed its TCP connection"), cause::toString);
      until("the connection is logged", () -> !server.log().isEmpty());
      // The client resets a connection that it refuses.
      assertEquals(1, server.log().size(), server.log()::toString);
      assertTrue(server.log().getFirst().matches("one shot, received 0 bytes|failed: .*Connection reset.*"), server.log()::toString);
    }
  }
}
