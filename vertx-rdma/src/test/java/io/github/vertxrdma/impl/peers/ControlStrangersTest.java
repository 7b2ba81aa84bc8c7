package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stranger without the cluster secret learns nothing from a node's control port, uses little memory there, and blocks no others. */
@Timeout(60)
class ControlStrangersTest {
  private static final String SECRET_NODE = "node-of-which-nobody-knows";
  private static final RandomGenerator RANDOM = RandomGenerator.getDefault();

  private final Vertx vertx = Vertx.vertx();
  private final List<String> refusals = new CopyOnWriteArrayList<>();
  private final List<Reason> reasons = new CopyOnWriteArrayList<>();
  private final Map<String, NetClient> clients = new ConcurrentHashMap<>();
  private ControlNode a;
  private int port;

  /** A socket of a stranger, and its received bytes. */
  private static final class Stranger {
    final NetSocket socket;
    final List<Byte> got = new CopyOnWriteArrayList<>();
    volatile boolean closed;

    Stranger(NetSocket socket) {
      this.socket = socket;
      socket.handler(data -> {
        for (byte each : data.getBytes()) {
          got.add(each);
        }
      }).closeHandler(v -> closed = true);
    }

    Buffer bytes() {
      Buffer bytes = Buffer.buffer();
      got.forEach(bytes::appendByte);
      return bytes;
    }

    void send(byte type, Buffer payload) {
      socket.write(ControlSocket.encode(type, payload));
    }
  }

  @BeforeEach
  void listen() throws Exception {
    a = new ControlNode(vertx, SECRET_NODE);
    port = a.self.controlPort();
    a.links.refusalHandler((reason, why) -> {
      reasons.add(reason);
      refusals.add(why);
    });
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    await(vertx.close());
  }

  /** The client is kept, because Vert.x closes a client without references, and its connections. */
  private NetClient client(String from) {
    return clients.computeIfAbsent(from, source -> vertx.createNetClient(new NetClientOptions().setLocalAddress(source)));
  }

  private Stranger stranger(String from) throws Exception {
    return await(client(from).connect(port, "127.0.0.1").map(Stranger::new));
  }

  @Test
  void strangerReceivesOnlyNonceAndRefusal() throws Exception {
    Stranger stranger = stranger("127.0.0.1");
    Hello hello = Hello.make(RANDOM);
    stranger.send(ControlSocket.HELLO, hello.payload());
    until("a nonce comes", () -> stranger.got.size() == ControlSocket.HEAD + Hello.LENGTH);
    stranger.send(ControlSocket.CONFIRM, Buffer.buffer(new byte[32]));
    until("it is cut off", () -> stranger.closed);
    Buffer said = stranger.bytes();
    assertEquals(2 * ControlSocket.HEAD + Hello.LENGTH, said.length(), "a nonce and a no without words");
    assertEquals(ControlSocket.REFUSE, said.getByte(said.length() - 1));
    assertFalse(new String(said.getBytes(), StandardCharsets.ISO_8859_1).contains(SECRET_NODE));
    assertTrue(refusals.getFirst().contains("does not know the cluster secret"), refusals.toString());
    assertEquals(List.of(Reason.NOT_AUTHENTIC), reasons);
  }

  @Test
  void acceptorChoosesTheHighestCommonVersionAndIgnoresLaterFields() throws Exception {
    Stranger newer = stranger("127.0.0.1");
    VersionRange wider = new VersionRange(Hello.SPOKEN.lowest() - 1, Hello.SPOKEN.highest() + 4);
    newer.send(ControlSocket.HELLO, new Hello(wider, new byte[16]).payload().appendString("a later field"));
    until("the answer comes", () -> newer.got.size() == ControlSocket.HEAD + Hello.LENGTH);
    assertEquals(VersionRange.only(Hello.SPOKEN.highest()), Hello.read(newer.bytes().slice(ControlSocket.HEAD, newer.got.size()))
      .versions());
  }

  @Test
  void acceptorWithoutACommonVersionNamesItsOwnAndCloses() throws Exception {
    Stranger newer = stranger("127.0.0.1");
    newer.send(ControlSocket.HELLO, new Hello(new VersionRange(8, 9), new byte[16]).payload());
    until("it is closed", () -> newer.closed);
    Buffer answer = newer.bytes();
    assertEquals(ControlSocket.REFUSE, answer.getByte(ControlSocket.HEAD - 1));
    assertEquals(Hello.SPOKEN, VersionRange.of(answer.getShort(ControlSocket.HEAD)));
    assertEquals(List.of("the peer has versions 8 to 9 of the control protocol, and this node has " + Hello.SPOKEN
      + ". Upgrade the node with the older vertx-rdma"),
      refusals.stream().map(line -> line.substring(line.indexOf("the peer has"))).toList());
  }

  @Test
  void connectorWithoutACommonVersionNamesBoth() throws Exception {
    for (byte answer : new byte[] {ControlSocket.REFUSE, ControlSocket.WELCOME}) {
      NetServer other = await(vertx.createNetServer().connectHandler(socket -> socket.handler(hello -> socket.write(ControlSocket.encode(
        answer, new Hello(new VersionRange(8, 9), new byte[16]).payload())))).listen(0, "127.0.0.1"));
      Future<?> meeting = a.links.meet("127.0.0.1", other.actualPort());
      until("it fails", meeting::failed);
      assertTrue(
        meeting.cause().getMessage().endsWith("the peer has versions 8 to 9 of the control protocol, and this node has " + Hello.SPOKEN
          + ". Upgrade the node with the older vertx-rdma"),
        meeting.cause().getMessage());
    }
  }

  @Test
  void peerThatStopsDuringHandshakeIsClosedWithoutWarning() throws Exception {
    ControlSettings usual = new ControlSettings("127.0.0.1");
    ControlSettings impatient = new ControlSettings(usual.host(), usual.firstPort(), usual.lastPort(), usual.suspectMillis(),
      usual.deadMillis(), 200);
    try (LogLines log = new LogLines(ControlLinks.class);
      ControlNode node = new ControlNode(vertx, "b", 1, impatient, ControlNode.SECRET)) {
      node.links.refusalHandler((reason, why) -> refusals.add(why));
      // Uses a blocking socket: a close handler that is set after 200 ms would not be called.
      try (Socket slow = new Socket("127.0.0.1", node.self.controlPort())) {
        assertEquals(-1, slow.getInputStream().read(), "it is closed");
      }
      until("the line is there", () -> !log.lines().isEmpty() && !refusals.isEmpty());
      assertTrue(log.lines().getFirst().endsWith(" was closed: its handshake took more than 200 ms"), log.lines()::toString);
      assertEquals(List.of(), log.warnings());
      assertEquals(log.lines(), refusals);
    }
  }

  @Test
  void impostorAtAddressOfNodeReceivesNoSecret() throws Exception {
    List<Stranger> squatters = new CopyOnWriteArrayList<>();
    NetServer squatter = await(vertx.createNetServer().connectHandler(socket -> {
      squatters.add(new Stranger(socket));
      socket.write(ControlSocket.encode(ControlSocket.WELCOME, Hello.welcome(Hello.SPOKEN.highest(), RANDOM)));
    }).listen(0, "127.0.0.1"));
    a.links.meet("127.0.0.1", squatter.actualPort());
    until("the proof comes", () -> !squatters.isEmpty() && squatters.getFirst().got.size() == 2 * ControlSocket.HEAD + Hello.LENGTH + 32);
    assertFalse(new String(squatters.getFirst().bytes().getBytes(), StandardCharsets.ISO_8859_1).contains(SECRET_NODE));
    squatters.getFirst().send(ControlSocket.IDENTITY, Buffer.buffer(new byte[100]));
    until("it is cut off", () -> squatters.getFirst().closed);
    assertEquals(2 * ControlSocket.HEAD + Hello.LENGTH + 32, squatters.getFirst().got.size());
  }

  @Test
  void impostorSendsNoLongIdentity() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    NetServer squatter = await(vertx.createNetServer().connectHandler(socket -> {
      connections.incrementAndGet();
      socket.write(ControlSocket.encode(ControlSocket.WELCOME, Hello.welcome(Hello.SPOKEN.highest(), RANDOM)));
      socket.write(Buffer.buffer().appendInt(2 + (64 << 10)).appendByte(ControlSocket.IDENTITY));
    }).listen(0, "127.0.0.1"));
    Future<?> meeting = a.links.meet("127.0.0.1", squatter.actualPort());
    until("it fails", meeting::failed);
    assertTrue(meeting.cause().getMessage().contains("invalid frame length"), meeting.cause().getMessage());
    assertEquals(1, connections.get(), "connections to a node that breaks the protocol");
  }

  @Test
  void textOfFramesAndNamesOfFoldersArePrintable() {
    String hostile = "forged \u001b[2J\n\u202e";
    for (String text : List.of(ControlSocket.text(Buffer.buffer(hostile)), new NodeFolder(Path.of("/run", hostile), List::of).name())) {
      assertTrue(text.startsWith("forged") && PeerText.isPrintable(text), text);
    }
  }

  /** The peer knows the secret, and refuses the JOIN. */
  @Test
  void refusalOfProvenPeerIsPrintable() throws Exception {
    ClusterSecret secret = ClusterSecret.of(ControlNode.SECRET.getBytes());
    NetServer peer = await(vertx.createNetServer().connectHandler(socket -> {
      Buffer welcome = Hello.welcome(Hello.SPOKEN.highest(), RANDOM);
      Transcript[] transcript = {null};
      socket.handler(data -> {
        Buffer payload = data.getBuffer(ControlSocket.HEAD, data.length());
        switch (data.getByte(Integer.BYTES)) {
          case ControlSocket.HELLO -> {
            transcript[0] = new Transcript(secret, payload, welcome);
            socket.write(ControlSocket.encode(ControlSocket.WELCOME, welcome));
          }
          case ControlSocket.CONFIRM -> socket.write(ControlSocket.encode(ControlSocket.IDENTITY,
            transcript[0].prove(Transcript.ACCEPTOR, NodeEntry.local("peer", 1).toBuffer())));
          default -> socket.write(ControlSocket.encode(ControlSocket.REFUSE, Buffer.buffer("forged \u001b[2J\n\u202e".repeat(500))));
        }
      });
    }).listen(0, "127.0.0.1"));
    String why = assertThrows(ExecutionException.class, () -> await(a.links.meet("127.0.0.1", peer.actualPort()))).getCause().getMessage();
    assertTrue(why.contains("the peer refused: forged") && PeerText.isPrintable(why) && why.length() < 2 * PeerText.MOST, why);
  }

  @Test
  void strangerHoldsAtMostOneShortFrame() throws Exception {
    Stranger brief = stranger("127.0.0.1");
    brief.socket.write(Buffer.buffer().appendInt(2 + (1 << 10)).appendByte((byte) 1));
    until("it is cut off before it has sent it", () -> brief.closed);
    until("it is refused", () -> !refusals.isEmpty());
    assertTrue(refusals.getFirst().contains("invalid frame length"), refusals.toString());
    assertEquals(List.of(Reason.PROTOCOL), reasons);
    Stranger again = stranger("127.0.0.1");
    again.send(ControlSocket.HELLO, Hello.make(RANDOM).payload());
    again.send(ControlSocket.HELLO, Hello.make(RANDOM).payload());
    until("one greeting is enough", () -> again.closed);
    Stranger old = stranger("127.0.0.1");
    old.send(ControlSocket.HELLO, Buffer.buffer().appendShort((short) new VersionRange(1, 2).word()).appendBytes(new byte[300]));
    until("it is of another version", () -> old.closed);
    assertTrue(refusals.getLast().contains("versions 1 to 2") && refusals.getLast().contains(Hello.SPOKEN.toString()), refusals.toString());
  }

  @Test
  void strangerThatKnowsTheSecretSendsNoLongJoin() throws Exception {
    Stranger stranger = stranger("127.0.0.1");
    Buffer hello = Hello.make(RANDOM).payload();
    stranger.send(ControlSocket.HELLO, hello);
    int welcomed = ControlSocket.HEAD + Hello.LENGTH;
    until("a nonce comes", () -> stranger.got.size() == welcomed);
    Transcript transcript = new Transcript(ClusterSecret.of(ControlNode.SECRET.getBytes()), hello,
      stranger.bytes().getBuffer(ControlSocket.HEAD, welcomed));
    stranger.send(ControlSocket.CONFIRM, transcript.prove(Transcript.CONNECTOR, Buffer.buffer()));
    until("the node proves the secret too", () -> stranger.got.size() > welcomed);
    stranger.socket.write(Buffer.buffer().appendInt(2 + (65 << 10)).appendByte(ControlSocket.JOIN));
    until("it is cut off before it has sent it", () -> stranger.closed && !refusals.isEmpty());
    assertTrue(refusals.getFirst().contains("invalid frame length"), refusals.toString());
    assertEquals(List.of(Reason.PROTOCOL), reasons);
  }

  @Test
  void oldestConnectionOfBusiestSourceIsClosed() throws Exception {
    // Strangers have more time for their handshake than this test takes.
    a.close();
    a = new ControlNode(vertx, SECRET_NODE, 1, new ControlSettings("127.0.0.1").withConnectTimeout(Duration.ofMinutes(4)),
      ControlNode.SECRET);
    port = a.self.controlPort();
    a.links.refusalHandler((reason, why) -> refusals.add(why));
    AtomicInteger closed = new AtomicInteger();
    for (String from : List.of("127.0.0.2", "127.0.0.3", "127.0.0.4")) {
      for (int i = 0; i < ControlLinks.MOST_UNPROVEN_OF_ONE; i++) {
        stranger(from).socket.closeHandler(v -> closed.incrementAndGet());
      }
    }
    Stranger quiet = stranger("127.0.0.5");
    assertEquals(0, closed.get());
    Stranger first = stranger("127.0.0.6");
    for (int i = 0; i < 3 * ControlLinks.MOST_UNPROVEN_OF_ONE; i++) {
      stranger("127.0.0.6");
    }
    until("its first has gone", () -> first.closed);
    until("one of others has gone, since all are too many", () -> closed.get() > 0);
    until("those that are in all too many have gone", () -> refusals.size() >= 2 * ControlLinks.MOST_UNPROVEN_OF_ONE);
    assertFalse(quiet.closed, "it is the only one of its source");
    assertTrue(refusals.getLast().contains("have not proved the cluster secret"), refusals.getLast());
  }

  @Test
  void manyStrangersDoNotKeepPeersOut() throws Exception {
    ControlNode b = new ControlNode(vertx, "b");
    List<NetSocket> carried = new CopyOnWriteArrayList<>();
    NetServer proxy = await(vertx.createNetServer().connectHandler(in -> {
      in.pause();
      client("127.0.0.1").connect(port, "127.0.0.1").onSuccess(out -> {
        carried.add(in);
        in.handler(out::write).closeHandler(v -> out.close());
        out.handler(in::write).closeHandler(v -> in.close());
        in.resume();
      });
    }).listen(0, "127.0.0.1"));
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger strangers = new AtomicInteger();
    Thread storm = Thread.ofPlatform().start(() -> {
      while (!over.get()) {
        try {
          stranger("127.0.0.1").send(ControlSocket.HELLO, Hello.make(RANDOM).payload());
          strangers.incrementAndGet();
        } catch (Exception e) {
          // The machine has no free ports.
        }
      }
    });
    until("there are more than a node lets in", () -> strangers.get() > 2 * ControlLinks.MOST_UNPROVEN_OF_ONE);
    // Another connection of the storm's address, which is made again in each round.
    a.self = a.self.withControl("127.0.0.1", proxy.actualPort());
    ControlLink first = b.link(a);
    for (int round = 0; round < 5; round++) {
      int known = carried.size();
      carried.getLast().close();
      until("it is made anew", () -> carried.size() > known && !await(b.links.links(), List.of()).isEmpty(), 20_000);
    }
    assertFalse(first.isOpen());
    over.set(true);
    storm.join();
    assertEquals(List.of(), b.deaths);
    assertEquals(List.of(), a.deaths);
    b.close();
  }
}
