package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrafficShapingOptions;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers and clients with {@code streams=all}, whose connections begin by TCP and move to shared memory. */
@Timeout(120)
class MovedStreamsTest {
  private static final String HOST = "127.0.0.1";
  @TempDir
  static Path keys;
  private static PfxOptions key;

  @TempDir
  Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  /** A client without references closes its connections. */
  private final List<Object> kept = new ArrayList<>();
  private final Queue<NetSocket> accepted = new ConcurrentLinkedQueue<>();
  private Vertx server;
  private Vertx client;
  private long channels;

  @BeforeAll
  static void createKey() throws Exception {
    key = StackSettings.key(keys);
  }

  @BeforeEach
  void start() throws Exception {
    server = start(options());
    client = start(options());
    channels = TransportCounters.PROCESS.channels();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private RdmaOptions options() {
    return StackSettings.options(folder, null).setSettings(new JsonObject().put("runtime", folder.resolve("run").toString()));
  }

  private Vertx start(RdmaOptions options) throws Exception {
    open.add(new StackSettings(folder, options));
    System.setProperty(TransportOptions.STREAMS, "all");
    Vertx vertx = Vertx.vertx();
    open.add(() -> await(vertx.close()));
    return vertx;
  }

  private <T> T keep(T made) {
    kept.add(made);
    return made;
  }

  private int echo(NetServerOptions options, String host) throws Exception {
    return echo(options, new InetSocketAddress(host, 0));
  }

  private int echo(NetServerOptions options, InetSocketAddress at) throws Exception {
    return await(server.createNetServer(options).connectHandler(socket -> {
      accepted.add(socket);
      socket.handler(socket::write);
    }).listen(SocketAddress.inetSocketAddress(at))).actualPort();
  }

  private static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  private void awaitMoved() {
    until("both ends have moved", () -> TransportCounters.PROCESS.channels() == channels + 2);
  }

  /** Sends bytes, and waits until they have come back. */
  private static void assertEcho(NetSocket socket, int size) throws Exception {
    byte[] sent = Pattern.bytes(size, size);
    Buffer got = Buffer.buffer();
    Promise<Void> all = Promise.promise();
    socket.handler(bytes -> {
      if (got.appendBuffer(bytes).length() == size) {
        all.complete();
      }
    });
    await(socket.write(Buffer.buffer(sent)));
    await(all.future());
    assertArrayEquals(sent, got.getBytes());
  }

  private NetSocket moved(NetServerOptions serverOptions, NetClientOptions clientOptions) throws Exception {
    int port = echo(serverOptions, HOST);
    NetSocket socket = await(keep(client.createNetClient(clientOptions)).connect(port, HOST));
    StackSettings.awaitMoved(socket);
    return socket;
  }

  @Test
  void bothEndsAreStockChannelsWithTheAddressesOfTheKernel() throws Exception {
    NetSocket socket = moved(new NetServerOptions(), new NetClientOptions());
    NetSocket peer = accepted.element();
    assertInstanceOf(EpollSocketChannel.class, channel(socket));
    assertInstanceOf(EpollSocketChannel.class, channel(peer));
    assertEquals(socket.localAddress(), peer.remoteAddress());
    assertEquals(socket.remoteAddress(), peer.localAddress());
    assertEcho(socket, 3 << 20);
    Promise<Void> closed = Promise.promise();
    peer.closeHandler(v -> closed.complete());
    await(socket.close());
    await(closed.future());
  }

  private static InetAddress linkLocal() throws Exception {
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(each.getInetAddresses())) {
        if (each.isUp() && address instanceof Inet6Address && address.isLinkLocalAddress()) {
          return address;
        }
      }
    }
    return null;
  }

  @ParameterizedTest
  @ValueSource(strings = {HOST, "0.0.0.0", "::1", "link-local"})
  void connectionBeginsByTcpAndMovesWhateverAddressTheServerListensOn(String bound) throws Exception {
    InetAddress ip = bound.equals("link-local") ? linkLocal() : InetAddress.ofLiteral(bound);
    assumeTrue(ip != null && NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
      .anyMatch(each -> ip.isAnyLocalAddress() || each.equals(ip)), "no interface has such an address");
    int port = echo(new NetServerOptions(), new InetSocketAddress(ip, 0));
    NetSocket socket = await(keep(client.createNetClient()).connect(SocketAddress.inetSocketAddress(
      new InetSocketAddress(ip.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : ip, port))));
    assertInstanceOf(EpollSocketChannel.class, channel(socket));
    StackSettings.awaitMoved(socket);
  }

  @Test
  void pausedReaderHoldsTheWriterBackAndGetsAFile() throws Exception {
    NetSocket socket = moved(new NetServerOptions(), new NetClientOptions());
    NetSocket peer = accepted.element();
    byte[] bytes = Pattern.bytes(1, 64 << 10);
    Path file = Files.write(folder.resolve("file"), bytes);
    Buffer sent = Buffer.buffer();
    Buffer got = Buffer.buffer();
    peer.pause().handler(got::appendBuffer);
    while (!socket.writeQueueFull()) {
      assertTrue(sent.appendBytes(bytes).length() < 64 << 20, "the writer was never held back");
      await(client.timer(1, TimeUnit.MILLISECONDS));
      socket.write(Buffer.buffer(bytes));
    }
    Future<Void> last = socket.sendFile(file.toString());
    sent.appendBytes(bytes);
    peer.resume();
    await(last);
    Promise<Void> closed = Promise.promise();
    peer.closeHandler(v -> closed.complete());
    await(socket.close());
    await(closed.future());
    assertEquals(sent, got);
  }

  @Test
  void connectionIsShapedByTheServerAndMoves() throws Exception {
    moved(new NetServerOptions().setTrafficShapingOptions(new TrafficShapingOptions().setInboundGlobalBandwidth(100 << 20)
      .setOutboundGlobalBandwidth(100 << 20)), new NetClientOptions());
  }

  @Test
  void idleConnectionIsClosedAfterItHasMoved() throws Exception {
    NetSocket socket = moved(new NetServerOptions().setIdleTimeout(5), new NetClientOptions());
    until("it is closed", () -> !channel(socket).isOpen());
  }

  private enum Upgrade {
    BEFORE, AFTER
  }

  @ParameterizedTest
  @EnumSource
  void upgradeToTlsKeepsPlaintextOffTheFabric(Upgrade upgrade) throws Exception {
    Promise<Void> upgraded = Promise.promise();
    int port = await(server.createNetServer().connectHandler(socket -> {
      accepted.add(socket);
      socket.handler(bytes -> {
        if (bytes.toString().endsWith("STARTTLS")) {
          socket.upgradeToSsl(new ServerSSLOptions().setKeyCertOptions(key), Buffer.buffer("go on")).onComplete(upgraded);
        } else {
          socket.write(bytes);
        }
      });
    }).listen(0, HOST)).actualPort();
    NetSocket socket = await(keep(client.createNetClient()).connect(port, HOST));
    if (upgrade == Upgrade.AFTER) {
      StackSettings.awaitMoved(socket);
    }
    Promise<Void> told = Promise.promise();
    Buffer answer = Buffer.buffer();
    socket.handler(bytes -> {
      if (answer.appendBuffer(bytes).toString().endsWith("go on")) {
        told.tryComplete();
      }
    });
    await(socket.write("STARTTLS"));
    await(told.future());
    long bytes = TransportCounters.PROCESS.bytes();
    await(socket.upgradeToSsl(new ClientSSLOptions().setTrustAll(true).setHostnameVerificationAlgorithm("")));
    await(upgraded.future());
    assertTrue(socket.isSsl() && accepted.element().isSsl());
    assertEcho(socket, 1 << 20);
    assertEcho(socket, 1 << 20);
    long most = upgrade == Upgrade.AFTER ? 2 * "go on".length() : 0;
    assertTrue(TransportCounters.PROCESS.bytes() - bytes <= most, "bytes over the fabric: " + (TransportCounters.PROCESS.bytes() - bytes));
    Promise<Void> closed = Promise.promise();
    accepted.element().closeHandler(v -> closed.complete());
    await(socket.close());
    await(closed.future());
  }

  private static NetClientOptions trusting(NetClientOptions options) {
    return options.setSsl(true).setTrustAll(true).setHostnameVerificationAlgorithm("");
  }

  @Test
  void tlsGoesOverTheFabric() throws Exception {
    NetSocket socket = moved(new NetServerOptions().setSsl(true).setKeyCertOptions(key), trusting(new NetClientOptions()));
    long bytes = TransportCounters.PROCESS.bytes();
    assertEcho(socket, 1 << 20);
    assertTrue(TransportCounters.PROCESS.bytes() - bytes >= 4 << 20);
  }

  @Test
  void encryptedConnectionMovesBetweenNodesThatRequireEncryption() throws Exception {
    server = start(options().setRequireEncryption(true));
    client = start(options().setRequireEncryption(true));
    NetSocket socket = moved(new NetServerOptions().setSsl(true).setKeyCertOptions(key), trusting(new NetClientOptions()));
    assertEcho(socket, 1 << 20);
  }

  private enum Http {
    PLAIN, UPGRADED, PRIOR_KNOWLEDGE, TLS, ALPN
  }

  @ParameterizedTest
  @EnumSource
  void requestsGoOverTheFabric(Http http) throws Exception {
    HttpServerOptions serverOptions = new HttpServerOptions();
    HttpClientOptions clientOptions = new HttpClientOptions();
    if (http == Http.TLS || http == Http.ALPN) {
      serverOptions.setSsl(true).setUseAlpn(http == Http.ALPN).setKeyCertOptions(key);
      clientOptions.setSsl(true).setUseAlpn(http == Http.ALPN).setTrustAll(true).setVerifyHost(false);
    }
    if (http != Http.PLAIN && http != Http.TLS) {
      clientOptions.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(http == Http.UPGRADED);
    }
    int port = await(server.createHttpServer(serverOptions).requestHandler(request -> request.body()
      .onSuccess(body -> request.response().end(body))).listen(0, HOST)).actualPort();
    HttpClient requests = keep(client.createHttpClient(clientOptions, new PoolOptions().setHttp1MaxSize(1)));
    until("requests go over the fabric", () -> {
      try {
        assertAnswer(requests, port, 1_000);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      return TransportCounters.PROCESS.channels() == channels + 2;
    });
    assertAnswer(requests, port, 1_000);
    long bytes = TransportCounters.PROCESS.bytes();
    assertAnswer(requests, port, 3 << 20);
    assertTrue(TransportCounters.PROCESS.bytes() - bytes >= 12 << 20,
      "bytes over the fabric: " + (TransportCounters.PROCESS.bytes() - bytes));
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
  }

  private void assertAnswer(HttpClient requests, int port, int size) throws Exception {
    byte[] body = Pattern.bytes(size, size);
    assertArrayEquals(body, awaitOnContext(client, () -> requests.request(HttpMethod.POST, port, HOST, "/")
      .compose(request -> request.send(Buffer.buffer(body))).compose(HttpClientResponse::body)).getBytes());
  }

  @Test
  void webSocketGoesOverTheFabric() throws Exception {
    int port = await(server.createHttpServer().webSocketHandler(socket -> socket.binaryMessageHandler(socket::writeBinaryMessage))
      .listen(0, HOST)).actualPort();
    WebSocket socket = await(keep(client.createWebSocketClient()).connect(port, HOST, "/"));
    awaitMoved();
    long bytes = TransportCounters.PROCESS.bytes();
    Buffer sent = Buffer.buffer(Pattern.bytes(1, 100_000));
    Promise<Buffer> got = Promise.promise();
    socket.binaryMessageHandler(got::complete);
    await(socket.writeBinaryMessage(sent));
    assertEquals(sent, await(got.future()));
    assertTrue(TransportCounters.PROCESS.bytes() > bytes);
  }

  @Test
  void callsOfGrpcGoOverTheFabric() throws Exception {
    ServiceName echo = ServiceName.create("vertxrdma.test.Echo");
    GrpcServer calls = GrpcServer.server(server).callHandler(
      ServiceMethod.server(echo, "Call", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
      call -> call.last().onSuccess(message -> call.response().end(message)));
    int port = await(server.createHttpServer().requestHandler(calls).listen(0, HOST)).actualPort();
    GrpcClient caller = keep(GrpcClient.client(client));
    ServiceMethod<Buffer, Buffer> method = ServiceMethod.client(echo, "Call", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
    Buffer sent = Buffer.buffer(Pattern.bytes(1, 10_000));
    until("calls go over the fabric", () -> {
      long bytes = TransportCounters.PROCESS.bytes();
      Buffer got = await(caller.request(SocketAddress.inetSocketAddress(port, HOST), method).compose(call -> call.send(sent))
        .compose(GrpcClientResponse::last), null);
      assertEquals(sent, got);
      return TransportCounters.PROCESS.bytes() - bytes >= 4 * sent.length();
    });
  }

  /** The connection to the proxy moves, with the bytes of the proxy's protocol, and that to the server at the proxy's own node. */
  @Test
  void connectionThroughProxyGoesOverTheFabric() throws Exception {
    NetClient onward = keep(server.createNetClient());
    int proxy = await(server.createNetServer().connectHandler(socket -> socket.handler(head -> {
      socket.pause();
      String[] target = head.toString().split(" ")[1].split(":");
      onward.connect(Integer.parseInt(target[1]), target[0]).onSuccess(other -> {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipeTo(other);
        other.pipeTo(socket);
      });
    })).listen(0, HOST)).actualPort();
    int port = echo(new NetServerOptions(), HOST);
    NetSocket socket = await(keep(client.createNetClient(new NetClientOptions().setProxyOptions(new ProxyOptions().setHost(HOST)
      .setPort(proxy).setType(ProxyType.HTTP)))).connect(port, HOST));
    until("both connections have moved", () -> {
      socket.write("more than the 32 bytes by which a connection is recognized");
      await(client.timer(1, TimeUnit.MILLISECONDS), null);
      return TransportCounters.PROCESS.channels() == channels + 4;
    });
    await(socket.close());
  }
}
