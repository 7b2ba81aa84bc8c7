package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.support.Ports;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.dns.DnsClientOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each failure has the class of {@code java.*} and the text that it has without this library, if no fabric is in use. */
@Timeout(60)
class StockFailuresTest {
  /** Keeps all clients, since Vert.x closes one that is not referenced, in the middle of its request. */
  private static final Queue<Object> CLIENTS = new ConcurrentLinkedQueue<>();
  private static final String HOST = "127.0.0.1";
  /** Documentation address, which no host has; RFC 5737. */
  private static final String FOREIGN = "192.0.2.1";
  private static final String BROADCAST = "255.255.255.255";
  private static final int LONG_DATAGRAM = 70_000;

  @TempDir
  static Path folder;
  private static final List<AutoCloseable> OPEN = new ArrayList<>();
  private static Vertx stock;
  private static Vertx ours;
  private static int taken;
  private static int takenByDatagrams;
  private static int reusable;
  private static int reusableByDatagrams;
  private static int unused;
  private static int full;
  private static String takenPath;
  private static String abandonedPath;

  /** Failure that a row of the table provokes. */
  private interface Failing {
    Future<?> of(Vertx vertx) throws Exception;
  }

  private record Row(String name, Failing failing) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
    OPEN.add(new StackSettings(folder, StackSettings.options(folder, null)));
    InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral(HOST), 0);
    taken = port(kept(ServerSocketChannel.open()).bind(any).getLocalAddress());
    reusable = port(kept(ServerSocketChannel.open()).setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(any).getLocalAddress());
    takenByDatagrams = port(kept(DatagramChannel.open()).bind(any).getLocalAddress());
    reusableByDatagrams = port(
      kept(DatagramChannel.open()).setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(any).getLocalAddress());
    // A bound socket that does not listen refuses connections.
    Socket reserved = kept(new Socket());
    reserved.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), Ports.free()));
    unused = reserved.getLocalPort();
    // Names are unknown at once.
    VertxOptions options = new VertxOptions().setAddressResolverOptions(
      new AddressResolverOptions().addServer(HOST + ':' + unused).setQueryTimeout(100).setMaxQueries(1).setRotateServers(false));
    stock = stock(() -> Vertx.vertx(options));
    ours = Vertx.vertx(options);
    OPEN.add(() -> await(Future.all(stock.close(), ours.close())));
    ServerSocketChannel backlog = kept(ServerSocketChannel.open()).bind(any, 1);
    full = port(backlog.getLocalAddress());
    for (int i = 0; i < 2; i++) {
      kept(SocketChannel.open()).connect(backlog.getLocalAddress());
    }
    takenPath = folder.resolve("taken").toString();
    kept(ServerSocketChannel.open(StandardProtocolFamily.UNIX)).bind(UnixDomainSocketAddress.of(takenPath));
    abandonedPath = folder.resolve("abandoned").toString();
    ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(abandonedPath)).close();
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable each : OPEN.reversed()) {
      each.close();
    }
  }

  private static <T extends AutoCloseable> T kept(T resource) {
    OPEN.add(resource);
    return resource;
  }

  private static int port(java.net.SocketAddress address) {
    return ((InetSocketAddress) address).getPort();
  }

  private static <T> T stock(Supplier<T> creation) {
    System.setProperty("vertx.rdma", "off");
    try {
      return creation.get();
    } finally {
      System.clearProperty("vertx.rdma");
    }
  }

  static Stream<Row> rows() {
    String missing = folder.resolve("missing").toString();
    String missingFolder = folder.resolve("no").resolve("socket").toString();
    String longPath = "/tmp/" + "x".repeat(200);
    return Stream.of(
      new Row("NetServer, taken port", vertx -> listen(vertx, taken, HOST)),
      new Row("NetServer, taken port, with reusePort",
        vertx -> vertx.createNetServer(new NetServerOptions().setReusePort(true)).connectHandler(s -> {
        }).listen(reusable, HOST)),
      new Row("NetServer, address of another host", vertx -> listen(vertx, 0, FOREIGN)),
      new Row("NetServer, unknown host", vertx -> listen(vertx, 0, "host.invalid")),
      new Row("NetServer, taken path", vertx -> listen(vertx, SocketAddress.domainSocketAddress(takenPath))),
      new Row("NetServer, path in a missing folder", vertx -> listen(vertx, SocketAddress.domainSocketAddress(missingFolder))),
      new Row("NetServer, long path", vertx -> listen(vertx, SocketAddress.domainSocketAddress(longPath))),
      new Row("NetServer, connection that its client resets", StockFailuresTest::resetByClient),
      new Row("NetClient, unused port", vertx -> net(vertx, new NetClientOptions()).connect(unused, HOST)),
      new Row("NetClient, unreachable network", vertx -> net(vertx, new NetClientOptions()).connect(80, BROADCAST)),
      new Row("NetClient, unknown host", vertx -> net(vertx, new NetClientOptions()).connect(80, "host.invalid")),
      new Row("NetClient, server that does not answer",
        vertx -> net(vertx, new NetClientOptions().setConnectTimeout(100)).connect(full, HOST)),
      new Row("NetClient, local address of another host",
        vertx -> net(vertx, new NetClientOptions().setLocalAddress(FOREIGN)).connect(taken, HOST)),
      new Row("NetClient, missing path", vertx -> net(vertx, new NetClientOptions()).connect(SocketAddress.domainSocketAddress(missing))),
      new Row("NetClient, path without a server",
        vertx -> net(vertx, new NetClientOptions()).connect(SocketAddress.domainSocketAddress(abandonedPath))),
      new Row("NetClient, long path", vertx -> net(vertx, new NetClientOptions()).connect(SocketAddress.domainSocketAddress(longPath))),
      new Row("NetClient, proxy that does not listen", vertx -> net(vertx, new NetClientOptions()
        .setProxyOptions(new ProxyOptions().setType(ProxyType.HTTP).setHost(HOST).setPort(unused))).connect(80, "example.invalid")),
      new Row("NetClient, proxy that resets", vertx -> with(new Resetting(), proxy -> net(vertx, new NetClientOptions()
        .setProxyOptions(new ProxyOptions().setType(ProxyType.HTTP).setHost(HOST).setPort(proxy.port()))).connect(80, "example.invalid"))),
      new Row("NetClient, unused port of IPv6", vertx -> net(vertx, new NetClientOptions()).connect(unused, "::1")),
      new Row("NetClient, SOCKS proxy that does not listen", vertx -> net(vertx, new NetClientOptions()
        .setProxyOptions(new ProxyOptions().setType(ProxyType.SOCKS5).setHost(HOST).setPort(unused))).connect(80, HOST)),
      new Row("NetSocket, upgrade to TLS with a server that resets", vertx -> with(new Resetting(), server -> net(vertx,
        new NetClientOptions().setTrustAll(true).setHostnameVerificationAlgorithm("")).connect(server.port(), HOST)
        .compose(socket -> socket.upgradeToSsl()))),
      new Row("NetClient, TLS with a server that resets", vertx -> with(new Resetting(), server -> net(vertx,
        new NetClientOptions().setSsl(true).setTrustAll(true).setHostnameVerificationAlgorithm("")).connect(server.port(), HOST))),
      new Row("NetSocket, connection that its server resets", vertx -> with(new Resetting(), server -> net(vertx, new NetClientOptions())
        .connect(server.port(), HOST).compose(socket -> exception(socket, () -> socket.write("x"))))),
      new Row("NetSocket, path whose server closes with unread bytes", StockFailuresTest::unread),
      new Row("NetSocket, write after a reset", vertx -> written(vertx, true, 1)),
      new Row("NetSocket, write after a reset and a failed write", vertx -> written(vertx, true, 2)),
      new Row("NetSocket, second write after the end", vertx -> written(vertx, false, 2)),
      new Row("NetSocket, write after its close", vertx -> with(new Resetting(), server -> net(vertx, new NetClientOptions())
        .connect(server.port(), HOST).compose(socket -> socket.close().compose(v -> socket.write("x"))))),
      new Row("HttpServer, taken port", vertx -> vertx.createHttpServer().requestHandler(request -> {
      }).listen(taken, HOST)),
      new Row("HttpServer, taken port, with reusePort",
        vertx -> vertx.createHttpServer(new HttpServerOptions().setReusePort(true)).requestHandler(request -> {
        }).listen(reusable, HOST)),
      new Row("HttpServer, address of another host", vertx -> vertx.createHttpServer().requestHandler(request -> {
      }).listen(0, FOREIGN)),
      new Row("HttpServer, request that its client resets", StockFailuresTest::requestReset),
      new Row("HttpClient, unused port", vertx -> get(vertx, unused, HOST)),
      new Row("HttpClient, unreachable network", vertx -> get(vertx, 80, BROADCAST)),
      new Row("HttpClient, unknown host", vertx -> get(vertx, 80, "host.invalid")),
      new Row("HttpClient, server that resets", vertx -> with(new Resetting(), server -> get(vertx, server.port(), HOST))),
      new Row("HttpClient, server that resets within the answer",
        vertx -> with(new Resetting("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx"), server -> get(vertx, server.port(), HOST))),
      new Row("HttpClient over HTTP/2, unused port", vertx -> http2(vertx, unused)),
      new Row("HttpClient over HTTP/2, server that resets", vertx -> with(new Resetting(), server -> http2(vertx, server.port()))),
      new Row("WebSocketClient, unused port", vertx -> webSockets(vertx).connect(unused, HOST, "/")),
      new Row("WebSocketClient, server that resets",
        vertx -> with(new Resetting(), server -> webSockets(vertx).connect(server.port(), HOST, "/"))),
      new Row("DatagramSocket, taken port", vertx -> datagrams(vertx).listen(takenByDatagrams, HOST)),
      new Row("DatagramSocket, taken port, with reusePort",
        vertx -> vertx.createDatagramSocket(new DatagramSocketOptions().setReusePort(true)).listen(reusableByDatagrams, HOST)),
      new Row("DatagramSocket, address of another host", vertx -> datagrams(vertx).listen(0, FOREIGN)),
      new Row("DatagramSocket, long datagram", vertx -> datagrams(vertx).send(Buffer.buffer(new byte[LONG_DATAGRAM]), unused, HOST)),
      new Row("DatagramSocket, several long datagrams", vertx -> {
        DatagramSocket socket = datagrams(vertx);
        return Future.join(socket.send(Buffer.buffer(new byte[LONG_DATAGRAM]), unused, HOST),
          socket.send(Buffer.buffer(new byte[LONG_DATAGRAM]), unused, HOST));
      }),
      new Row("DatagramSocket, broadcast without permission", vertx -> datagrams(vertx).send("x", unused, BROADCAST)),
      new Row("DatagramSocket, port 0", vertx -> datagrams(vertx).send("x", 0, HOST)),
      new Row("DatagramSocket, address of IPv6", vertx -> datagrams(vertx).send("x", unused, "::1")),
      new Row("DatagramSocket, unknown host", vertx -> datagrams(vertx).send("x", unused, "host.invalid")),
      new Row("DatagramSocket, after its close", vertx -> {
        DatagramSocket socket = datagrams(vertx);
        return socket.close().compose(v -> socket.send("x", unused, HOST));
      }),
      new Row("DnsClient, server that does not listen",
        vertx -> vertx.createDnsClient(new DnsClientOptions().setPort(unused).setHost(HOST).setQueryTimeout(100))
          .lookup4("example.invalid")));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void failureIsThatOfStockVertx(Row row) throws Exception {
    String expected = failure(row.failing.of(stock));
    assertEquals(expected, failure(row.failing.of(ours)));
  }

  @Test
  void failuresOfTheClusteredBusAreThoseOfStockVertx() throws Exception {
    assertEquals(failure(stock(() -> clustered(taken))), failure(clustered(taken)));
    Vertx stockBus = await(stock(() -> clustered(0)));
    Vertx ourBus = await(clustered(0));
    try {
      assertEquals(failure(stockBus.eventBus().sender("there").write("x")), failure(ourBus.eventBus().sender("there").write("x")));
    } finally {
      await(Future.all(stockBus.close(), ourBus.close()));
    }
  }

  @Test
  @Tag("full")
  void failuresWithoutDescriptorsAreThoseOfStockVertx() throws Exception {
    try (ChildJvm child = ChildJvm.start(Poor.class, folder.toString())) {
      for (int i = 0; i < Poor.CALLS; i++) {
        String expected = child.await("stock: ");
        assertTrue(expected.contains("Too many open files"), expected);
        assertEquals(expected, child.await("ours: "));
      }
    }
  }

  /** Process that opens sockets when no descriptor is left. */
  static final class Poor {
    static final int CALLS = 3;

    private Poor() {
    }

    public static void main(String[] args) throws Exception {
      folder = Path.of(args[0]);
      Vertx stock = stock(Vertx::vertx);
      Vertx ours = Vertx.vertx();
      List<Failing> calls = List.of(vertx -> listen(vertx, 0, HOST), vertx -> net(vertx, new NetClientOptions()).connect(80, HOST),
        vertx -> Future.future(done -> done.complete(datagrams(vertx))));
      if (calls.size() != CALLS) {
        throw new AssertionError(calls.size());
      }
      for (Failing call : calls) {
        await(call.of(stock), null);
        await(call.of(ours), null);
      }
      failure(Future.failedFuture(new IOException("loads the classes of the report")));
      String pid = Long.toString(ProcessHandle.current().pid());
      new ProcessBuilder("prlimit", "--pid", pid, "--nofile=3:").inheritIO().start().waitFor();
      for (Failing call : calls) {
        System.out.println("stock: " + failure(call.of(stock)).replace('\n', ' '));
        System.out.println("ours: " + failure(call.of(ours)).replace('\n', ' '));
      }
      System.exit(0);
    }
  }

  private static Future<?> listen(Vertx vertx, int port, String host) {
    return listen(vertx, SocketAddress.inetSocketAddress(port, host));
  }

  private static Future<?> listen(Vertx vertx, SocketAddress address) {
    return vertx.createNetServer().connectHandler(socket -> {
    }).listen(address);
  }

  private static DatagramSocket datagrams(Vertx vertx) {
    return vertx.createDatagramSocket();
  }

  private static NetClient net(Vertx vertx, NetClientOptions options) {
    NetClient client = vertx.createNetClient(options);
    CLIENTS.add(client);
    return client;
  }

  private static WebSocketClient webSockets(Vertx vertx) {
    WebSocketClient client = vertx.createWebSocketClient();
    CLIENTS.add(client);
    return client;
  }

  private static HttpClient http(Vertx vertx, HttpClientOptions options) {
    HttpClient client = vertx.createHttpClient(options);
    CLIENTS.add(client);
    return client;
  }

  private static Future<Buffer> get(Vertx vertx, int port, String host) {
    return http(vertx, new HttpClientOptions()).request(HttpMethod.GET, port, host, "/").compose(request -> request.send())
      .compose(HttpClientResponse::body);
  }

  private static Future<?> http2(Vertx vertx, int port) {
    return http(vertx, new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2)).request(HttpMethod.GET, port, HOST, "/")
      .compose(request -> request.send());
  }

  private static Future<?> exception(NetSocket socket, Supplier<Future<Void>> then) {
    Promise<Void> failed = Promise.promise();
    socket.exceptionHandler(failed::tryFail);
    return then.get().compose(v -> failed.future());
  }

  private static Future<?> resetByClient(Vertx vertx) {
    Promise<Void> failed = Promise.promise();
    return vertx.createNetServer().connectHandler(socket -> socket.exceptionHandler(failed::tryFail)).listen(0, HOST)
      .compose(server -> reset(server.actualPort(), "x").compose(v -> failed.future()).eventually(server::close));
  }

  private static Future<?> requestReset(Vertx vertx) {
    Promise<Void> failed = Promise.promise();
    return vertx.createHttpServer().requestHandler(request -> request.exceptionHandler(failed::tryFail)).listen(0, HOST)
      .compose(server -> reset(server.actualPort(), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx")
        .compose(v -> failed.future()).eventually(server::close));
  }

  private static Future<Void> reset(int port, String text) {
    try (Socket client = new Socket(HOST, port)) {
      client.setSoLinger(true, 0);
      client.getOutputStream().write(text.getBytes());
      Thread.sleep(50);
      return Future.succeededFuture();
    } catch (IOException | InterruptedException e) {
      return Future.failedFuture(e);
    }
  }

  private static Future<?> unread(Vertx vertx) throws IOException {
    Path path = folder.resolve("unread" + System.nanoTime());
    ServerSocketChannel server = kept(ServerSocketChannel.open(StandardProtocolFamily.UNIX)).bind(UnixDomainSocketAddress.of(path));
    return net(vertx, new NetClientOptions()).connect(SocketAddress.domainSocketAddress(path.toString()))
      .compose(socket -> exception(socket, () -> {
        Future<Void> written = socket.write("x");
        Thread.ofVirtual().start(() -> {
          try (SocketChannel peer = server.accept()) {
            pause();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
        return written;
      }));
  }

  /** Writes while the event loop cannot notice that the peer has reset or closed the connection. */
  private static Future<?> written(Vertx vertx, boolean reset, int writes) throws IOException {
    ServerSocket server = kept(new ServerSocket(0, 1, InetAddress.ofLiteral(HOST)));
    Promise<Void> result = Promise.promise();
    vertx.runOnContext(v -> net(vertx, new NetClientOptions()).connect(server.getLocalPort(), HOST).onSuccess(socket -> {
      try (Socket peer = server.accept()) {
        peer.setSoLinger(reset, 0);
      } catch (IOException e) {
        result.fail(e);
      }
      Future<Void> last = Future.succeededFuture();
      for (int i = 0; i < writes; i++) {
        pause();
        last = socket.write("x");
      }
      last.onComplete(result);
    }));
    return result.future();
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Server that answers the first bytes of a connection with a text and a reset. */
  private static final class Resetting implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.ofLiteral(HOST));

    Resetting(String answer) throws IOException {
      Thread.ofVirtual().start(() -> {
        while (!server.isClosed()) {
          try (Socket socket = server.accept()) {
            socket.setSoLinger(true, 0);
            socket.getInputStream().read(new byte[1 << 12]);
            socket.getOutputStream().write(answer.getBytes());
            pause();
          } catch (IOException e) {
            // The server was closed.
          }
        }
      });
    }

    Resetting() throws IOException {
      this("");
    }

    int port() {
      return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  private interface Use {
    Future<?> of(Resetting server);
  }

  private static Future<?> with(Resetting server, Use use) {
    return use.of(server).eventually(() -> {
      try {
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Future.succeededFuture();
    });
  }

  private static String failure(Future<?> future) throws Exception {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    StringBuilder all = new StringBuilder();
    // The causes of an unknown host depend on the order of timers and answers.
    for (; cause != null; cause = cause instanceof UnknownHostException ? null : cause.getCause()) {
      Class<?> type = cause.getClass();
      while (!Modifier.isPublic(type.getModifiers()) || type.getSimpleName().startsWith("Stackless")) {
        type = type.getSuperclass();
      }
      all.append(type.getName()).append(": ").append(String.valueOf(cause.getMessage())
        .replaceAll("(?<=127\\.0\\.0\\.1[:/])\\d+", "PORT").replaceAll("(?<=query '|\\[)\\d+(?=['\\]:])", "ID")).append('\n');
    }
    return all.toString();
  }

  private static Future<Vertx> clustered(int port) {
    return Vertx.builder().withClusterManager(members()).with(new VertxOptions().setEventBusOptions(
      new EventBusOptions().setHost(HOST).setPort(port))).buildClustered();
  }

  /** Returns the manager of a cluster of this node and of one at an unused port. */
  private static ClusterManager members() {
    NodeInfo[] own = new NodeInfo[1];
    return (ClusterManager) Proxy.newProxyInstance(StockFailuresTest.class.getClassLoader(), new Class<?>[] {ClusterManager.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "getNodeId" -> "here";
        case "getNodes" -> List.of("here", "there");
        case "isActive" -> true;
        case "setNodeInfo" -> {
          own[0] = (NodeInfo) arguments[0];
          yield answer(arguments, null);
        }
        case "getNodeInfo" -> arguments == null ? own[0]
          : answer(arguments, arguments[0].equals("here") ? own[0] : new NodeInfo(HOST, unused, null));
        case "getRegistrations" -> answer(arguments, List.of(new RegistrationInfo("there", 1, false)));
        case "join", "leave", "addRegistration", "removeRegistration" -> answer(arguments, null);
        case "hashCode" -> 1;
        case "equals" -> proxy == arguments[0];
        default -> method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments) : null;
      });
  }

  @SuppressWarnings("unchecked")
  private static Object answer(Object[] arguments, Object result) {
    ((Completable<Object>) arguments[arguments.length - 1]).succeed(result);
    return null;
  }
}
