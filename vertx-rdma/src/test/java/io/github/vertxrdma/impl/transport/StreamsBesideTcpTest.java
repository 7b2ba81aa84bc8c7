package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.provider.contract.LogLines;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StreamsBesideTcpTest {
  private static final VertxOptions HOSTS = new VertxOptions().setAddressResolverOptions(new AddressResolverOptions()
    .setHostsValue(Buffer.buffer("127.0.0.1 localhost\n127.0.0.1 orders.example\n")));

  @TempDir
  Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  /** A client without references closes its connections. */
  private final List<Object> kept = new ArrayList<>();
  private final Queue<NetSocket> accepted = new ConcurrentLinkedQueue<>();
  private final Queue<Buffer> received = new ConcurrentLinkedQueue<>();
  private final long channels = TransportCounters.PROCESS.channels();
  private final long fallbacks = TransportCounters.PROCESS.fallbacks();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private RdmaOptions options(String fabric, String memory) {
    return StackSettings.options(folder, fabric)
      .setSettings(new JsonObject().put("runtime", folder.resolve(memory).toString()));
  }

  private Vertx start(RdmaOptions options) throws Exception {
    open.add(new StackSettings(folder, options));
    System.setProperty(TransportOptions.STREAMS, "all");
    Vertx vertx = Vertx.vertx(HOSTS);
    open.add(() -> await(vertx.close()));
    return vertx;
  }

  private NetServer echo(Vertx vertx, NetServerOptions options) throws Exception {
    return await(vertx.createNetServer(options).connectHandler(socket -> {
      accepted.add(socket);
      socket.handler(bytes -> {
        received.add(bytes);
        socket.write(bytes);
      });
    }).listen(0, "127.0.0.1"));
  }

  private NetSocket connect(Vertx client, NetClientOptions options, String host, int port) throws Exception {
    NetClient net = client.createNetClient(options);
    kept.add(net);
    return await(net.connect(port, host));
  }

  private NetSocket talk(RdmaOptions serverOptions, RdmaOptions clientOptions) throws Exception {
    NetServer server = echo(start(serverOptions), new NetServerOptions());
    Vertx client = start(clientOptions);
    StackSettings.awaitServer(client, clientOptions, server.actualPort());
    NetSocket socket = connect(client, new NetClientOptions(), "127.0.0.1", server.actualPort());
    assertEcho(socket);
    return socket;
  }

  private static void assertEcho(NetSocket socket) throws Exception {
    Promise<Buffer> got = Promise.promise();
    socket.handler(got::tryComplete);
    await(socket.write("hello"));
    assertEquals("hello", await(got.future()).toString());
  }

  private static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  private void assertOverTcp() {
    assertEquals(channels, TransportCounters.PROCESS.channels(), "channels over a fabric");
  }

  @Test
  void bothEndsAreStockChannelsAndOneWarningSaysWhyWhenOnlySocketsReachPeerOfThisHost() throws Exception {
    try (LogLines log = new LogLines(Ways.class)) {
      NetSocket socket = talk(options(null, "one"), options(null, "other"));
      assertInstanceOf(EpollSocketChannel.class, channel(socket));
      assertInstanceOf(EpollSocketChannel.class, channel(accepted.element()));
      assertOverTcp();
      assertEquals(fallbacks + 1, TransportCounters.PROCESS.fallbacks());
      assertEquals(1, log.lines().size(), log.lines()::toString);
      assertEquals(log.lines(), log.warnings());
      String line = log.lines().getFirst();
      assertTrue(line.contains(" use TCP: no fabric reaches the peer, except sockets of the kernel: shm: "), line);
      assertTrue(line.contains("nio: not used, since it uses sockets of the kernel, like TCP"), line);
    }
  }

  @Test
  void clientTakesItsForcedFabricToServerWithoutOne() throws Exception {
    talk(options(null, "one"), options("nio", "other"));
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
  }

  @Test
  void clientWithoutForcedFabricTakesTcpToServerWithOne() throws Exception {
    assertInstanceOf(EpollSocketChannel.class, channel(talk(options("nio", "one"), options(null, "other"))));
    assertOverTcp();
  }

  @Test
  void stockChannelSendsAFile() throws Exception {
    assertFileArrives(talk(options(null, "one"), options(null, "other")));
  }

  private void assertFileArrives(NetSocket socket) throws Exception {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    Path file = Files.write(folder.resolve("file"), bytes);
    Buffer got = Buffer.buffer();
    Promise<Void> all = Promise.promise();
    socket.handler(chunk -> {
      if (got.appendBuffer(chunk).length() == bytes.length) {
        all.complete();
      }
    });
    await(socket.sendFile(file.toString()));
    await(all.future());
    assertArrayEquals(bytes, got.getBytes());
  }

  @Test
  void rdmaAddressIsReachedOverASocketFabricWithoutForce() throws Exception {
    int port = StackSettings.freePort();
    Vertx server = start(options(null, "one"));
    await(server.createNetServer().connectHandler(socket -> socket.handler(socket::write)).listen(Rdma.address("127.0.0.1", port)));
    Vertx client = start(options(null, "other"));
    NetClient net = client.createNetClient();
    kept.add(net);
    assertEcho(await(net.connect(Rdma.address("127.0.0.1", port))));
    Promise<Void> closed = Promise.promise();
    await(net.connect(port, "127.0.0.1")).closeHandler(v -> closed.complete());
    await(closed.future());
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
    assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks());
  }

  private static NetClientOptions tls() {
    return new NetClientOptions().setSsl(true).setTrustAll(true).setHostnameVerificationAlgorithm("");
  }

  @Test
  void plainConnectionIsRefusedByAClientThatRequiresEncryption() throws Exception {
    NetServer server = echo(start(options(null, "one")), new NetServerOptions());
    RdmaOptions strict = options(null, "other").setRequireEncryption(true);
    Vertx client = start(strict);
    StackSettings.awaitServer(client, strict, server.actualPort());
    NetSocket socket = connect(client, new NetClientOptions(), "127.0.0.1", server.actualPort());
    Promise<Throwable> refused = Promise.promise();
    socket.exceptionHandler(refused::tryComplete);
    assertThrows(ExecutionException.class, () -> await(socket.write("secret")));
    Throwable cause = await(refused.future());
    assertEquals(RdmaException.Reason.ACCESS_DENIED, assertInstanceOf(RdmaException.class, cause.getCause()).reason());
    assertTrue(cause.getMessage().contains("since requireEncryption is set and its first bytes are not TLS. Use setSsl(true) at "
      + "both ends"), cause::toString);
    assertEquals(List.of(), List.copyOf(received));
    assertOverTcp();
  }

  @Test
  void plainConnectionIsCutByAServerThatRequiresEncryption() throws Exception {
    NetServer server = echo(start(options(null, "one").setRequireEncryption(true)), new NetServerOptions());
    RdmaOptions lenient = options(null, "other");
    Vertx client = start(lenient);
    StackSettings.awaitServer(client, lenient, server.actualPort());
    NetSocket socket = connect(client, new NetClientOptions(), "127.0.0.1", server.actualPort());
    assertInstanceOf(EpollSocketChannel.class, channel(socket));
    Promise<Void> closed = Promise.promise();
    socket.closeHandler(v -> closed.complete());
    socket.write("secret");
    await(closed.future());
    assertEquals(List.of(), List.copyOf(received));
    assertOverTcp();
  }

  @Test
  void tlsPassesBetweenNodesThatRequireEncryption() throws Exception {
    RdmaOptions strict = options(null, "one").setRequireEncryption(true);
    NetServer server = echo(start(strict), new NetServerOptions().setSsl(true).setKeyCertOptions(StackSettings.key(folder)));
    Vertx client = start(options(null, "other").setRequireEncryption(true));
    NetSocket socket = connect(client, tls(), "127.0.0.1", server.actualPort());
    assertEcho(socket);
    assertFileArrives(socket);
    assertOverTcp();
  }
}
