package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.ConnectionProofs.Offer;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.contract.Pattern;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that knows the secret and both addresses of another's TCP connection asks its server for a stream. */
@Timeout(120)
class ConnectionsOfOthersTest {
  private static final String HOST = "127.0.0.1";
  private static final String STREAM = "a stream";
  private static final String NOT_YET = "not yet";
  private static final byte[] NOTHING = {};
  private static final byte[] BYTES = Pattern.bytes(7, 64);

  @TempDir
  Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Vertx client;
  private Node owner;
  private Node thief;
  private NodeEntry server;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws Exception {
    int port = await(startVertx().createNetServer().connectHandler(socket -> socket.handler(socket::write)).listen(0, HOST)).actualPort();
    address = new InetSocketAddress(HOST, port);
    client = startVertx();
    StackSettings.awaitServer(client, options(), port);
    owner = node(client);
    thief = node(startVertx());
    server = await(thief.directory().awaitNode(
      await(thief.directory().awaitServices(RouteNames.of(address.getAddress(), port), Duration.ofSeconds(20))).getFirst().nodeId(),
      Duration.ofSeconds(20)));
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private RdmaOptions options() {
    return StackSettings.options(folder, null);
  }

  private Vertx startVertx() throws Exception {
    open.add(new StackSettings(folder, options()));
    System.setProperty(TransportOptions.STREAMS, "all");
    Vertx vertx = Vertx.vertx();
    open.add(() -> await(vertx.close()));
    return vertx;
  }

  private Node node(Vertx vertx) throws Exception {
    return await(SharedNode.acquire((VertxInternal) vertx, options(), null).node());
  }

  private Future<Offer> ask(Node node, InetSocketAddress from, byte[] sent, byte[] received) {
    ConnectionPrefix prefix = new ConnectionPrefix();
    prefix.sent(Unpooled.wrappedBuffer(sent));
    prefix.received(Unpooled.wrappedBuffer(received));
    EventLoop loop = node.vertx().getOrCreateContext().nettyEventLoop();
    return LoopCall.on(loop, () -> node.connections().ask(server, from, address, prefix, loop, 20_000));
  }

  /** Returns the answer that the node of no end gets. */
  private String steal(InetSocketAddress from, byte[] sent, byte[] received) throws Exception {
    try {
      return await(ask(thief, from, sent, received)) == null ? NOT_YET : STREAM;
    } catch (ExecutionException e) {
      return ((RdmaException) e.getCause()).reason().toString();
    }
  }

  private static void assertEcho(Socket socket) throws Exception {
    socket.getOutputStream().write(BYTES);
    assertArrayEquals(BYTES, socket.getInputStream().readNBytes(BYTES.length), "the connection goes on");
  }

  private static InetSocketAddress local(Socket socket) {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  @Test
  void nodeThatDoesNotKnowTheFirstBytesGetsNoStreamAndHasOneAttempt() throws Exception {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      assertEcho(socket);
      assertEquals(NOT_YET, steal(local(socket), NOTHING, NOTHING));
      assertEquals(NOT_YET, steal(local(socket), Arrays.copyOf(BYTES, BYTES.length - 1), NOTHING));
      byte[] wrong = BYTES.clone();
      wrong[wrong.length - 1] ^= 1;
      assertEquals("CLOSED", steal(local(socket), wrong, NOTHING));
      assertEquals("CLOSED", steal(local(socket), BYTES, NOTHING), "after a wrong attempt");
      assertEcho(socket);
    }
  }

  @Test
  void streamPromisedToOneNodeIsRefusedToAnother() throws Exception {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      assertEcho(socket);
      Offer[] offer = {null};
      until("the node that knows the bytes is promised a stream", () -> {
        offer[0] = await(ask(owner, local(socket), BYTES, BYTES), null);
        return offer[0] != null;
      });
      Connector connector = new Connector(thief, thief.vertx().getOrCreateContext(), "stream of another", ConnectionProofs.SERVICE,
        offer[0].data(), null);
      Throwable cause = assertThrows(ExecutionException.class, () -> await(connector.peer(server, offer[0].addresses())
        .connect((link, choice) -> link))).getCause();
      assertTrue(cause.getMessage().contains("no stream is expected"), cause::toString);
      assertEcho(socket);
    }
  }

  @Test
  void questionsOfAnotherNodeDoNotKeepAConnectionFromItsFabric() throws Exception {
    NetClient sockets = client.createNetClient();
    NetSocket socket = await(sockets.connect(address.getPort(), HOST));
    InetSocketAddress from = new InetSocketAddress(HOST, socket.localAddress().port());
    Buffer echoed = Buffer.buffer();
    socket.handler(echoed::appendBuffer);
    await(socket.write("too few"));
    until("the bytes are back", () -> echoed.length() == 7);
    assertEquals(NOT_YET, steal(from, NOTHING, NOTHING));
    assertEquals(NOT_YET, steal(from, "of them".getBytes(), NOTHING));
    StackSettings.awaitMoved(socket);
    assertEquals("CLOSED", steal(from, NOTHING, NOTHING));
    assertEquals("CLOSED", steal(from, BYTES, NOTHING));
    StackSettings.awaitMoved(socket);
    await(sockets.close());
  }
}
