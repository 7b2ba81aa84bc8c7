package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class TlsOverFabricTest {
  private static final String SECRET = "this is nobody's business. ";
  @TempDir
  static Path keys;
  private static PfxOptions key;

  @TempDir
  Path folder;
  private StackSettings settings;
  private Vertx vertx;
  private NetClient net;

  @BeforeAll
  static void makeKey() throws Exception {
    key = StackSettings.key(keys);
  }

  private void start(String fabric, boolean demanding) throws Exception {
    RdmaOptions options = StackSettings.options(folder, fabric).setRequireEncryption(demanding);
    settings = new StackSettings(folder, options);
    vertx = Vertx.vertx();
    try {
      await(Rdma.create(vertx, options).directory());
    } catch (ExecutionException e) {
      Assumptions.assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == RdmaException.Reason.UNSUPPORTED,
        e.getCause().getMessage());
      throw e;
    }
    Capture.clear();
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
    settings.close();
    Capture.clear();
  }

  private void talk(boolean tls) throws Exception {
    SocketAddress address = Rdma.address("127.0.0.1", StackSettings.freePort());
    NetServerOptions server = new NetServerOptions();
    NetClientOptions client = new NetClientOptions();
    if (tls) {
      server.setSsl(true).setKeyCertOptions(key);
      client.setSsl(true).setTrustAll(true).setHostnameVerificationAlgorithm("");
    }
    await(vertx.createNetServer(server).connectHandler(s -> s.handler(s::write)).listen(address));
    // A client without references closes its connections.
    net = vertx.createNetClient(client);
    Context context = vertx.getOrCreateContext();
    NetSocket socket = await(Future.<NetSocket>future(connected -> context.runOnContext(v -> net.connect(address).onComplete(connected))));
    assertEquals(tls, socket.isSsl());
    Buffer text = Buffer.buffer(SECRET.repeat(4000));
    Promise<Buffer> all = Promise.promise();
    Buffer got = Buffer.buffer();
    socket.handler(b -> {
      got.appendBuffer(b);
      if (got.length() == text.length() + SECRET.length()) {
        all.tryComplete(got);
      }
    });
    socket.exceptionHandler(all::tryFail);
    socket.closeHandler(v -> all.tryFail("closed"));
    context.runOnContext(v -> {
      socket.write(SECRET);
      socket.write(text);
    });
    assertEquals(SECRET + text, await(all.future()).toString());
    await(socket.close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"capture-nio", "capture-tcp"})
  void withTlsNoPlaintextPasses(String fabric) throws Exception {
    start(fabric, false);
    long bytes = TransportCounters.PROCESS.bytes();
    talk(true);
    assertTrue(TransportCounters.PROCESS.bytes() - bytes > 200_000, "it did not go over the fabric");
    String passed = Capture.seen();
    assertTrue(passed.length() > 200_000, "only " + passed.length() + " bytes were captured");
    assertFalse(passed.contains(SECRET), "plaintext passed");
    assertFalse(passed.contains(SECRET.substring(0, 8)), "plaintext passed");
    // The capture would have seen plaintext.
    Capture.clear();
    talk(false);
    assertTrue(Capture.seen().contains(SECRET));
    assertTrue(Capture.seen().contains(SECRET.repeat(500)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"capture-nio", "capture-tcp"})
  void aPolicyRefusesPlainConnections(String fabric) throws Exception {
    start(fabric, true);
    Throwable refused = assertThrows(ExecutionException.class, () -> talk(false)).getCause();
    assertTrue(refused.getMessage().contains("since requireEncryption is set and its first bytes are not TLS. Use setSsl(true) at "
      + "both ends"), refused.toString());
    assertFalse(Capture.seen().contains(SECRET), "plaintext passed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "tcp"})
  void renewedCertificateIsUsedByNewConnectionsWhileOldOnesStay(String fabric) throws Exception {
    start(fabric, true);
    SocketAddress address = Rdma.address("127.0.0.1", StackSettings.freePort());
    NetServer server = await(vertx.createNetServer(new NetServerOptions().setSsl(true).setKeyCertOptions(key))
      .connectHandler(s -> s.handler(s::write)).listen(address));
    net = vertx.createNetClient(new NetClientOptions().setSsl(true).setTrustAll(true).setHostnameVerificationAlgorithm(""));
    NetSocket old = await(net.connect(address));
    assertTrue(await(server.updateSSLOptions(new ServerSSLOptions().setKeyCertOptions(StackSettings.key(folder)))));
    NetSocket renewed = await(net.connect(address));
    assertNotEquals(old.peerCertificates(), renewed.peerCertificates());
    for (NetSocket socket : List.of(old, renewed)) {
      Future<Buffer> answer = Future.future(promise -> socket.handler(promise::tryComplete));
      await(socket.write("still here"));
      assertEquals("still here", await(answer).toString());
      await(socket.close());
    }
  }

  private static void assertRefused(String what, Future<?> future) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    assertEquals(
      what + " is refused, since requireEncryption is set and this is not encrypted. On a fabric, only TLS of NetServer, "
        + "NetClient, HttpServer and HttpClient is encrypted",
      cause.getMessage());
    assertEquals(RdmaException.Reason.ACCESS_DENIED, ((RdmaException) cause).reason());
  }

  @Test
  void aPolicyRefusesOneSidedAccessAndMessages() throws Exception {
    start("nio", true);
    Rdma rdma = Rdma.create(vertx, StackSettings.options(folder, "nio").setRequireEncryption(true));
    assertRefused("sharing region 'table'",
      rdma.createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ)));
    assertRefused("opening region 'table'", rdma.openRegion("table"));
    assertRefused("connecting to 'orders'", rdma.connect("orders"));
    assertRefused("connecting to localhost:4711",
      rdma.connect(SocketAddress.inetSocketAddress(4711, "localhost"), new RdmaConnectOptions()));
    assertRefused("listening as 'orders'", rdma.createServer().connectHandler(c -> {}).listen("orders"));
    assertRefused("listening at localhost:0",
      rdma.createServer().connectHandler(c -> {}).listen(SocketAddress.inetSocketAddress(0, "localhost")));
    assertRefused("service 'orders'", rdma.connectBus("orders"));
    assertRefused("service 'orders'", vertx.deployVerticle("rdma:orders"));
    assertRefused("service 'orders'", vertx.deployVerticle("rdma:orders?connect"));
  }
}
