package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.devices.relay.Relay;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Control connections between nodes of one process. */
@Timeout(60)
class ControlLinksTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static Throwable failure(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  @Test
  void oneConnectionServesBothWays() throws Exception {
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode b = new ControlNode(vertx, "b");
    ControlLink ab = a.link(b);
    assertEquals(b.self, ab.peer());
    until("the other end has it", () -> !await(b.links.links(), List.of()).isEmpty());
    ControlLink ba = b.link(a);
    assertEquals(ab.id, ba.id);
    assertSame(ab, a.link(b));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      ab.send(ControlNode.ECHO, Buffer.buffer("message " + i));
      expected.add("message " + i);
    }
    until("all came back", () -> a.texts.size() == 1000);
    assertEquals(expected, a.texts);
    a.send(ab, ControlNode.TEXT, "x".repeat(ControlSocket.MAX_PAYLOAD));
    until("a large one arrived", () -> b.texts.size() == 1);
    assertInstanceOf(IllegalArgumentException.class,
      failure(ab.send(1, Buffer.buffer(new byte[ControlSocket.MAX_PAYLOAD + 1]))));
    await(ab.send(99, Buffer.buffer("of no kind")));
    a.close();
    until("the good-bye is heard", () -> b.deaths.size() == 1);
    assertEquals(new PeerDeath("a", a.self.epoch(), true, true, false, "it was closed"), b.deaths.getFirst());
    assertTrue(a.deaths.isEmpty());
    assertFalse(ab.isOpen());
    assertTrue(failure(ba.send(1, Buffer.buffer())).getMessage().contains("node a left"));
    a.close();
    b.close();
  }

  @ParameterizedTest
  @EnumSource
  void messagesThatPeerDoesNotReadAreLimited(Relay.Way way) throws Exception {
    Buffer message = Buffer.buffer(new byte[1 << 16]);
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode b = new ControlNode(vertx, "b");
    try (Relay relay = new Relay(b.self.controlPort())) {
      await(a.links.meet("127.0.0.1", relay.port()));
      until("the other end has it", () -> !await(b.links.links(), List.of()).isEmpty());
      relay.hold(way);
      ControlNode writer = way == Relay.Way.TO_SERVER ? a : b;
      ControlLink link = writer.open().getFirst();
      List<Future<Void>> sent = Stream.generate(() -> link.send(ControlNode.ECHO, message)).limit(1_000).toList();
      // Runs after the messages.
      await(writer.links.links());
      assertTrue(failure(sent.getLast()).getMessage().contains("does not read the messages"));
      long waiting = sent.stream().filter(each -> !each.isComplete()).count() * message.length();
      assertTrue(waiting <= (2 << 20) + 2 * message.length(), waiting + " bytes wait");
    }
    a.close();
    b.close();
  }

  /** The verticle's timers end with it. */
  @Test
  void unansweredQuestionEndsAfterItsVerticleEnded() throws Exception {
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode b = new ControlNode(vertx, "b");
    Questions questions = new Questions(vertx, a.links, 98, 99);
    a.link(b);
    Promise<Future<Buffer>> asked = Promise.promise();
    String verticle = await(vertx.deployVerticle(context -> {
      asked.complete(questions.ask(b.self, Buffer.buffer(), 1_000));
      return Future.succeededFuture();
    }));
    await(vertx.undeploy(verticle));
    Future<Buffer> answer = await(asked.future());
    until("it gives up", answer::isComplete);
    assertTrue(answer.cause().getMessage().contains("did not answer"), answer::toString);
    a.close();
    b.close();
  }

  @Test
  void manyNodesConnectingToAllAtOnceHaveOneConnectionPerPair() throws Exception {
    List<ControlNode> nodes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      nodes.add(new ControlNode(vertx, "node" + i));
    }
    List<Future<?>> asked = new ArrayList<>();
    for (ControlNode from : nodes) {
      for (ControlNode to : nodes) {
        if (from != to) {
          asked.add(from.links.link(to.self));
          asked.add(from.links.meet("localhost", to.self.controlPort()));
        }
      }
    }
    await(Future.all(asked));
    Map<String, Set<Long>> ids = new HashMap<>();
    for (ControlNode node : nodes) {
      List<ControlLink> links = node.open();
      assertEquals(nodes.size() - 1, links.size());
      for (ControlLink link : links) {
        String pair = Stream.of(node.self.nodeId(), link.nodeId()).sorted().toList().toString();
        ids.computeIfAbsent(pair, key -> new HashSet<>()).add(link.id);
      }
      assertTrue(node.deaths.isEmpty(), node.deaths.toString());
    }
    assertTrue(ids.values().stream().allMatch(pair -> pair.size() == 1), ids.toString());
    for (ControlNode node : nodes) {
      node.close();
    }
  }

  @Test
  void theSecretIsProvenBothWays() throws Exception {
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode stranger = new ControlNode(vertx, "s", 7, new ControlSettings("127.0.0.1"), "another one, elsewhere");
    String message = failure(stranger.links.link(a.self)).getMessage();
    assertTrue(message.contains("node a") && message.contains("does not know the cluster secret"), message);
    message = failure(a.links.link(stranger.self)).getMessage();
    assertTrue(message.contains("does not know the cluster secret"), message);
    assertTrue(a.open().isEmpty() && stranger.open().isEmpty());
    a.close();
    stranger.close();
  }

  @Test
  void anotherRunIsAnotherNode() throws Exception {
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode b = new ControlNode(vertx, "b");
    String message = failure(a.links.link(b.self.withEpoch(12345))).getMessage();
    assertTrue(message.contains("node b has restarted at this address"), message);
    assertEquals(b.self.epoch(), await(a.links.link(b.self.withEpoch(0))).epoch());
    // After a rejoin the same process has a new epoch: the connection stays.
    ControlLink before = a.link(b);
    b.self = b.self.withEpoch(100);
    assertSame(before, a.link(b));
    assertEquals(100, before.epoch());
    assertTrue(failure(a.links.link(a.self)).getMessage().contains("itself"));
    assertTrue(failure(a.links.link(NodeEntry.local("c", 1))).getMessage().contains("no control address"));
    assertTrue(a.deaths.isEmpty());
    b.close();
    until("both epochs are told dead", () -> a.deaths.size() == 2);
    assertEquals(List.of(99L, 100L), a.deaths.stream().map(PeerDeath::epoch).toList());
    a.close();
  }

  @Test
  void nodeThatRejoinsDuringHandshakeRefusesNobody() throws Exception {
    ControlNode a = new ControlNode(vertx, "a");
    ControlNode b = new ControlNode(vertx, "b");
    NodeEntry before = b.self;
    b.rejoins = true;
    String message = failure(a.links.link(before)).getMessage();
    assertTrue(message.contains("node b is now at this address"), message);
    assertTrue(b.open().isEmpty() && b.refusals.isEmpty(), b.refusals.toString());
    b.rejoins = false;
    assertTrue(a.link(b).isOpen());
    a.close();
    b.close();
  }

  @Test
  void aPortOfTheRangeIsTaken() throws Exception {
    int taken = await(vertx.createNetServer().connectHandler(NetSocket::close).listen(0, "127.0.0.1")).actualPort();
    ControlSettings one = new ControlSettings("127.0.0.1").withPorts(taken, taken);
    Throwable failure = assertThrows(ExecutionException.class, () -> new ControlNode(vertx, "a", 1, one, ControlNode.SECRET)).getCause();
    assertTrue(failure.getMessage().contains("ports " + taken + "-" + taken), failure.getMessage());
    ControlSettings several = new ControlSettings("127.0.0.1").withPorts(taken, Math.min(65535, taken + 50));
    try (ControlNode b = new ControlNode(vertx, "b", 1, several, ControlNode.SECRET)) {
      assertTrue(b.self.controlPort() > taken);
    }
  }

  @Test
  void longConnectTimeoutAppliesToControlConnections() {
    ControlSettings settings = new ControlSettings("127.0.0.1");
    assertEquals(60_000, settings.withConnectTimeout(Duration.ofSeconds(120)).connectTimeoutMillis());
    assertEquals(settings, settings.withConnectTimeout(Duration.ofSeconds(1)));
  }

  @Test
  void aPauseOfOnesOwnIsNotHeldAgainstOthers() throws Exception {
    ControlNode a = new ControlNode(vertx, "a", 1, new ControlSettings("127.0.0.1").withSilence(300, 1000), ControlNode.SECRET);
    ControlNode b = new ControlNode(vertx, "b");
    ControlLink link = a.link(b);
    AtomicBoolean paused = new AtomicBoolean();
    link.closeHandler(cause -> {});
    a.links.messageHandler(5, (from, message) -> {
      hold(2500);
      paused.set(true);
    });
    until("the other end has it", () -> !await(b.links.links(), List.of()).isEmpty());
    b.send(b.link(a), 5, "hold");
    until("the loop was held up", paused::get);
    a.send(link, ControlNode.ECHO, "still here");
    until("they talk", () -> a.texts.contains("still here"));
    assertTrue(a.deaths.isEmpty(), a.deaths.toString());
    assertTrue(link.isOpen());
    a.close();
    b.close();
  }

  private static void hold(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
