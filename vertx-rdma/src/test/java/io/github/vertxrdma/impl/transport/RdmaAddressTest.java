package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RdmaAddressTest {
  private static final VertxOptions HOSTS = new VertxOptions().setAddressResolverOptions(new AddressResolverOptions()
    .setHostsValue(Buffer.buffer("127.0.0.1 localhost\n127.0.0.1 orders.example\n")));

  @TempDir
  Path folder;
  private StackSettings settings;
  private Vertx server;
  private final List<Object> kept = new ArrayList<>();
  private Vertx client;

  /** A client without references closes its connections. */
  private <T> T keep(T client) {
    kept.add(client);
    return client;
  }

  @BeforeEach
  void start() throws Exception {
    settings = new StackSettings(folder, StackSettings.options(folder, StackSettings.fabric()));
    server = Vertx.vertx(HOSTS);
    client = Vertx.vertx(HOSTS);
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
    settings.close();
  }

  private static void echo(NetSocket socket) throws Exception {
    Promise<Buffer> got = Promise.promise();
    socket.handler(got::tryComplete);
    socket.write("hello");
    assertEquals("hello", await(got.future()).toString());
  }

  private static Throwable cause(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  private static boolean isClosed(Socket tcp) throws IOException {
    try {
      return tcp.getInputStream().read() == -1;
    } catch (SocketException e) {
      // The server has not read what was sent.
      return true;
    }
  }

  @Test
  void aConnectionNamedSoGoesByFabricAndTcpIsTurnedAway() throws Exception {
    int port = StackSettings.freePort();
    long channels = TransportCounters.PROCESS.channels();
    List<NetSocket> accepted = new CopyOnWriteArrayList<>();
    await(server.createNetServer().connectHandler(s -> {
      accepted.add(s);
      s.handler(s::write);
    }).listen(Rdma.address("127.0.0.1", port)));
    try (Socket tcp = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      tcp.getOutputStream().write("not over a fabric".getBytes(StandardCharsets.US_ASCII));
      for (String host : new String[] {"127.0.0.1", "localhost", "orders.example"}) {
        NetSocket socket = await(keep(client.createNetClient()).connect(Rdma.address(host, port)));
        assertEquals(port, socket.remoteAddress().port());
        assertEquals("127.0.0.1", socket.remoteAddress().hostAddress());
        assertEquals(accepted.getLast().remoteAddress(), socket.localAddress());
        echo(socket);
      }
      assertEquals(6, TransportCounters.PROCESS.channels() - channels);
      tcp.setSoTimeout(20_000);
      assertTrue(isClosed(tcp));
    }
    assertEquals(3, accepted.size(), "the application sees connections of the fabric only");
  }

  @Test
  void httpAndWebSocketsTakeTheFabric() throws Exception {
    int port = StackSettings.freePort();
    long channels = TransportCounters.PROCESS.channels();
    SocketAddress address = Rdma.address("127.0.0.1", port);
    await(server.createHttpServer().webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
      .requestHandler(r -> r.body().onSuccess(b -> r.response().end(b))).listen(address));
    HttpClient requests = keep(client.createHttpClient());
    RequestOptions order = new RequestOptions().setMethod(HttpMethod.POST).setServer(address).setAbsoluteURI("http://orders.example/");
    Buffer got = awaitOnContext(client, () -> requests.request(order)
      .compose(r -> r.send(Buffer.buffer("a body"))).compose(HttpClientResponse::body));
    assertEquals("a body", got.toString());
    Promise<String> message = Promise.promise();
    var socket = await(keep(client.createWebSocketClient()).connect(port, "orders.example", "/"));
    socket.textMessageHandler(message::tryComplete);
    socket.writeTextMessage("hi");
    assertEquals("hi", await(message.future()));
    assertEquals(4, TransportCounters.PROCESS.channels() - channels);
  }

  @Test
  void whereNobodyListensItFailsByName() throws Exception {
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(s -> s.handler(s::write)).listen(port, "127.0.0.1"));
    Throwable cause = cause(keep(client.createNetClient()).connect(Rdma.address("localhost", port)));
    String message = cause.getMessage();
    assertTrue(message.contains("no server at rdma://localhost:" + port + " (127.0.0.1) is in the directory"), message);
    assertEquals(RdmaException.Reason.NOT_FOUND, assertInstanceOf(RdmaException.class, cause).reason());
  }

  @Test
  void messagesThatAreTooSmallForStreamsAreRefusedByName() throws Exception {
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(NetSocket::close).listen(Rdma.address("127.0.0.1", port)));
    settings = new StackSettings(folder, StackSettings.options(folder, StackSettings.fabric()).setMaxMessageSize(1_000));
    Vertx small = Vertx.vertx();
    try {
      String message = cause(keep(small.createNetClient()).connect(Rdma.address("127.0.0.1", port))).getMessage();
      assertTrue(message.contains("messages of at most 1000 bytes are too small for streams. Set maxMessageSize at both ends to "
        + "1024 or more"),
        message);
    } finally {
      await(small.close());
    }
  }

  @Test
  void mistakesAreNamed() {
    for (String wrong : new String[] {"rdma://localhost", "rdma://localhost:", "rdma://:80", "rdma://localhost:0",
      "rdma://localhost:http"}) {
      SocketAddress address = SocketAddress.domainSocketAddress(wrong);
      String expected = "'" + wrong + "' is not an address of a fabric. Write rdma://host:port, with a port from 1 to 65535";
      assertEquals(expected, cause(keep(client.createNetClient()).connect(address)).getMessage());
      assertEquals(expected, cause(server.createNetServer().connectHandler(NetSocket::close).listen(address)).getMessage());
    }
  }

  @Test
  void aPortInUseIsAFailure() throws Exception {
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(NetSocket::close).listen(port, "127.0.0.1"));
    cause(client.createNetServer().connectHandler(NetSocket::close).listen(Rdma.address("127.0.0.1", port)));
  }

  @Test
  void theOldestConnectionOfTheMostFrequentSourceIsClosedIfTooManyUseNoFabric() throws Exception {
    int most = 1024;
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(NetSocket::close).listen(Rdma.address("127.0.0.1", port)));
    List<Socket> many = new ArrayList<>();
    try (SocketChannel older = SocketChannel.open().bind(new InetSocketAddress("127.0.0.2", 0))) {
      older.connect(new InetSocketAddress("127.0.0.1", port));
      older.configureBlocking(false);
      for (int i = 0; i < most; i++) {
        many.add(new Socket(InetAddress.ofLiteral("127.0.0.1"), port, InetAddress.ofLiteral("127.0.0.1"), 0));
      }
      many.getFirst().setSoTimeout(20_000);
      assertTrue(isClosed(many.getFirst()));
      // If too many did not count, their time would end first for the oldest connection.
      assertEquals(0, older.read(ByteBuffer.allocate(1)), "the only connection of its source is closed");
    } finally {
      for (Socket each : many) {
        each.close();
      }
    }
  }

  /** Writes to connections until their server closes them. @return the largest number of bytes that one of them took */
  private static long writeUntilClosed(List<SocketChannel> connections) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
    Map<SocketChannel, Long> written = new HashMap<>();
    connections.forEach(each -> written.put(each, 0L));
    List<SocketChannel> open = new ArrayList<>(connections);
    until("the server has closed the connections", () -> open.removeIf(each -> {
      try {
        for (int size = each.write(bytes.clear()); size > 0; size = each.write(bytes.clear())) {
          written.merge(each, (long) size, Long::sum);
        }
        return each.read(bytes.clear()) < 0;
      } catch (IOException e) {
        return true;
      }
    }) && open.isEmpty());
    return Collections.max(written.values());
  }

  @Test
  @Tag("full")
  void connectionsForWhichANodeAsksAndOpensNoFabricTakeFewBytesAndEnd() throws Exception {
    // Twice the limit, because the kernel's buffers take some bytes too.
    int most = 32 << 20;
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(socket -> {}).listen(Rdma.address("127.0.0.1", port)));
    SharedNode shared = SharedNode.acquire((VertxInternal) client, StackSettings.options(folder, StackSettings.fabric()), null);
    Node node = await(shared.node());
    InetSocketAddress remote = new InetSocketAddress("127.0.0.1", port);
    String peer = await(node.directory().awaitServices(RouteNames.of(remote.getAddress(), port), Duration.ofSeconds(20))).getFirst()
      .nodeId();
    NodeEntry entry = await(node.directory().awaitNode(peer, Duration.ofSeconds(20)));
    EventLoop loop = ((VertxInternal) client).getOrCreateContext().nettyEventLoop();
    List<SocketChannel> many = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        SocketChannel each = SocketChannel.open(remote);
        many.add(each);
        each.configureBlocking(false);
        InetSocketAddress local = (InetSocketAddress) each.getLocalAddress();
        until("a stream is promised",
          () -> await(node.connections().ask(entry, local, remote, new ConnectionPrefix(), loop, 20_000), null) != null);
      }
      long written = writeUntilClosed(many);
      assertTrue(written < most, written + " bytes of one connection were taken");
    } finally {
      for (SocketChannel each : many) {
        each.close();
      }
      await(shared.release());
    }
  }

  @Test
  void closedConnectionThatReceivedNothingIsForgotten() throws Exception {
    int port = StackSettings.freePort();
    await(server.createNetServer().connectHandler(NetSocket::close).listen(Rdma.address("127.0.0.1", port)));
    SharedNode shared = SharedNode.acquire((VertxInternal) client, StackSettings.options(folder, StackSettings.fabric()), null);
    Node node = await(shared.node());
    String name = RouteNames.of(InetAddress.ofLiteral("127.0.0.1"), port);
    String peer = await(node.directory().awaitServices(name, Duration.ofSeconds(20))).getFirst().nodeId();
    NodeEntry entry = node.directory().node(peer).orElseThrow();
    InetSocketAddress remote = new InetSocketAddress("127.0.0.1", port);
    InetSocketAddress local;
    try (Socket silent = new Socket(remote.getAddress(), port)) {
      local = (InetSocketAddress) silent.getLocalSocketAddress();
    }
    EventLoop loop = ((VertxInternal) client).getOrCreateContext().nettyEventLoop();
    for (RdmaException.Reason verdict : List.of(RdmaException.Reason.CLOSED, RdmaException.Reason.NOT_FOUND)) {
      until("the answer is " + verdict, () -> {
        Future<?> answer = node.connections().ask(entry, local, remote, new ConnectionPrefix(), loop, 20_000);
        await(answer.otherwiseEmpty(), null);
        return answer.cause() instanceof RdmaException cause && cause.reason() == verdict;
      });
    }
    await(shared.release());
  }

  private Vertx byRule() {
    System.setProperty(TransportOptions.STREAMS, "all");
    return Vertx.vertx(HOSTS);
  }

  /** A client whose node exists for another reason, such as the event bus, uses TCP to a server that TCP reaches. */
  @Test
  void aClientWithoutTheRuleTakesTcpToAServerThatHasIt() throws Exception {
    Vertx other = byRule();
    try {
      int port = await(other.createNetServer().connectHandler(s -> s.handler(s::write)).listen(0, "0.0.0.0")).actualPort();
      await(client.createNetServer().connectHandler(NetSocket::close).listen(Rdma.address("127.0.0.1", StackSettings.freePort())));
      StackSettings.awaitServer(client, StackSettings.options(folder, StackSettings.fabric()), port);
      long channels = TransportCounters.PROCESS.channels();
      echo(await(keep(client.createNetClient()).connect(port, "127.0.0.1")));
      echo(await(keep(client.createNetClient()).connect(port, "orders.example")));
      assertEquals(channels, TransportCounters.PROCESS.channels());
      echo(await(keep(client.createNetClient()).connect(Rdma.address("127.0.0.1", port))));
      assertEquals(2, TransportCounters.PROCESS.channels() - channels);
    } finally {
      await(other.close());
    }
  }
}
