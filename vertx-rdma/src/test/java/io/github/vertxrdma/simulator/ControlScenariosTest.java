package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.ControlSocket;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.github.vertxrdma.impl.support.Deaths;
import io.github.vertxrdma.simulator.world.Trace;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of control connections in virtual time, with few steps, of defects that conversations have found. */
class ControlScenariosTest {
  private static final ClusterSecret SECRET = ClusterSecret.of("the same on all nodes".getBytes());

  private static final int ONE_PING_AND_HELLO = 5 + 5 + 2 + 16;

  private final VirtualTime time = new VirtualTime();
  private final TcpModel tcp = new TcpModel(time, 1, new Trace(time::now, false), end -> {});
  private final List<PeerDeath> deaths = new ArrayList<>();
  private long runs;

  private final class Run {
    final SimulatedHost host;
    final ControlLinks links;
    NodeEntry self;

    Run(String id, int number) {
      long run = ++runs;
      host = new SimulatedHost(number, tcp, time, run);
      self = SimulatedHost.entry(id, run);
      links = new ControlLinks(host, new ControlSettings(SimulatedHost.name(number)).withPorts(7000, 7000), SECRET, () -> self);
      self = self.withControl(SimulatedHost.name(number), get(links.listen()));
    }
  }

  private <T> T get(Future<T> future) {
    pass(100);
    assertTrue(future.isComplete(), "it takes more than 100 ms");
    assertTrue(future.succeeded(), () -> String.valueOf(future.cause()));
    return future.result();
  }

  private long untilDeath() {
    long since = time.now();
    while (deaths.isEmpty() && time.now() - since < TimeUnit.HOURS.toNanos(1)) {
      pass(100);
    }
    return TimeUnit.NANOSECONDS.toMillis(time.now() - since);
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aHostThatCameBackHasNewRunsAndTheOldOneIsDead() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    ControlLink before = get(a.links.link(b.self));
    tcp.kill(b.host, true);
    b.host.kill();
    tcp.light(2);
    Run again = new Run("b", 2);
    ControlLink after = get(a.links.link(again.self));
    assertEquals(again.self.epoch(), after.epoch());
    assertFalse(before.isOpen());
    assertEquals(List.of(b.self.epoch()), deaths.stream().map(PeerDeath::epoch).toList());
    assertTrue(deaths.getFirst().certain());
    assertEquals(List.of(after), get(a.links.links()));
    assertSame(after, get(a.links.link(again.self)));
    pass(60_000);
    assertEquals(1, deaths.size());
    assertEquals(2, tcp.open().size(), "ends of connections");
  }

  @Test
  void idleConnectionNeedsFewTimers() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    pass(60_000);
    assertEquals(0, a.host.timersSet(), "timers of a node without a connection");
    get(a.links.link(b.self));
    pass(5_000);
    int before = a.host.timersSet() + b.host.timersSet();
    AtomicInteger frames = new AtomicInteger();
    a.host.tamper = b.host.tamper = bytes -> {
      frames.incrementAndGet();
      return bytes;
    };
    pass(60_000);
    int timers = a.host.timersSet() + b.host.timersSet() - before;
    // The end that connected sends a ping after each second of silence, and the other end answers and checks as often.
    assertTrue(timers <= 2 * 62, timers + " timers of two ends in a minute");
    assertTrue(frames.get() <= 2 * 62, frames + " frames of two ends in a minute");
    assertEquals(2, get(a.links.links()).size() + get(b.links.links()).size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachEpochOfAPeerDiesOnceWhateverTheDirectorySaidOfIt(boolean cut) {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    NodeEntry early = b.self;
    get(a.links.link(early));
    b.self = early.withEpoch(100);
    for (NodeEntry told : List.of(b.self, early, b.self, early)) {
      get(a.links.link(told));
    }
    if (cut) {
      tcp.open().getFirst().reset(true);
      pass(1_000);
      assertEquals(1, get(a.links.links()).size(), "it was made anew");
    }
    tcp.kill(b.host, false);
    b.host.kill();
    pass(1_000);
    assertEquals(List.of(early.epoch(), 100L), deaths.stream().map(PeerDeath::epoch).sorted().toList());
  }

  @Test
  void onlyTheLatestEpochsOfAPeerAreRemembered() {
    int most = 1024;
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    get(a.links.link(b.self));
    for (int i = 0; i < most + 10; i++) {
      b.self = b.self.withEpoch(100 + i);
      if (i % 2 == 0) {
        tcp.open().getFirst().reset(true);
        pass(500);
      }
      assertEquals(b.self.epoch(), get(a.links.link(b.self)).epoch());
    }
    tcp.kill(b.host, false);
    b.host.kill();
    pass(1_000);
    assertEquals(most + 1, deaths.size(), "with the last epoch");
    assertEquals(b.self.epoch(), deaths.getLast().epoch());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "false | connect(..) failed with error(-99): Cannot assign requested address",
    "false | finishConnect(..) failed with error(-110): Connection timed out",
    "false | Connection timed out",
    "false | Die Wartezeit für die Verbindung ist abgelaufen",
    "true  | finishConnect(..) failed with error(-111): Connection refused",
    "true  | finishConnect(..) failed with error(-61): Connection refused",
    "true  | Connection refused",
    "true  | Verbindungsaufbau abgelehnt"})
  void anErrorOfThisHostIsNoDeath(boolean death, String words) {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    get(a.links.link(b.self));
    b.host.stop();
    a.host.trouble = new ConnectException(words);
    tcp.open().getFirst().reset(true);
    pass(500);
    assertEquals(death ? List.of(true) : List.of(), deaths.stream().map(PeerDeath::certain).toList());
    a.host.trouble = null;
    b.host.resume();
    pass(500);
    assertEquals(death ? 1 : 0, deaths.size());
    assertTrue(get(a.links.link(b.self)).isOpen());
  }

  @Test
  void messagesHaveTheWordsOfTheKernelWithoutThoseOfNetty() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    a.host.trouble = new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /10.0.0.2:7000");
    Future<ControlLink> refused = a.links.link(b.self);
    pass(500);
    assertTrue(refused.cause() instanceof ConnectException, () -> String.valueOf(refused.cause()));
    assertEquals("Connection refused: /10.0.0.2:7000", refused.cause().getMessage());
    a.host.trouble = null;
    get(a.links.link(b.self));
    b.host.stop();
    a.host.trouble = new ConnectException("finishConnect(..) failed with error(-113): No route to host: /10.0.0.2:7000");
    tcp.open().getFirst().reset(true);
    untilDeath();
    assertEquals("its control connection ended and it can no longer be reached (No route to host: /10.0.0.2:7000)",
      deaths.getFirst().cause());
  }

  /** A kernel still sends data of a process that was killed. */
  @Test
  void aJoinOfAKilledRunThatIsLateLeavesTheLivingOneAlone() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    a.links.addListener(new Deaths(deaths::add));
    AtomicInteger frames = new AtomicInteger();
    b.host.tamper = bytes -> {
      if (frames.incrementAndGet() == 3) {
        tcp.cut(1, 2, TimeUnit.SECONDS.toNanos(1));
      }
      return bytes;
    };
    b.links.link(a.self);
    pass(500);
    assertEquals(3, frames.get());
    tcp.kill(b.host, false);
    b.host.kill();
    Run again = new Run("b", 3);
    ControlLink link = get(again.links.link(a.self));
    assertTrue(link.isOpen());
    pass(10_000);
    assertEquals(List.of(), deaths, "the living run is taken for dead");
    assertTrue(link.isOpen());
    assertEquals(List.of(again.self.epoch()), get(a.links.links()).stream().map(ControlLink::epoch).toList());
  }

  /** Gives a node an entry with what everybody can read in that of the other one, and its own address. */
  private static void imitate(Run attacker, Run of, boolean epoch) {
    NodeEntry victim = of.self;
    attacker.self = (epoch ? victim : victim.withEpoch(victim.epoch() + 100)).withControl(attacker.self.controlHost(), 7000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"id", "id and process", "id, process and epoch", "everything"})
  void processThatClaimsTheIdOfLivingNodeEndsNoConnection(String claimed) {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    Run attacker = new Run("b", 3);
    List<String> refused = new ArrayList<>();
    a.links.refusalHandler((reason, why) -> refused.add(why)).addListener(new Deaths(deaths::add));
    b.links.addListener(new Deaths(deaths::add));
    ControlLink link = get(a.links.link(b.self));
    if (!claimed.equals("id")) {
      imitate(attacker, b, claimed.contains("epoch"));
    }
    if (claimed.equals("everything")) {
      attacker.self = b.self;
    }
    AtomicInteger pings = new AtomicInteger();
    a.host.tamper = bytes -> {
      pings.addAndGet(bytes.length == 5 && bytes[4] == 7 ? 1 : 0);
      return bytes;
    };
    Future<ControlLink> first = attacker.links.link(a.self);
    for (int i = 0; i < 50; i++) {
      Future<ControlLink> join = attacker.links.link(a.self);
      // The directory may have an entry that the attacker has forged.
      Future<ControlLink> dial = a.links.link(attacker.self);
      pass(200);
      assertFalse(join.succeeded(), "the attacker is connected");
      assertTrue(!dial.succeeded() || dial.result() == link, "this node has connected to the attacker");
    }
    assertTrue(first.cause().getMessage().contains("already has a connection with this node's id"), first::toString);
    assertTrue(link.isOpen());
    assertEquals(List.of(link), get(a.links.links()));
    assertEquals(List.of(), deaths);
    assertTrue(pings.get() <= 11, pings + " pings in 10 s");
    assertEquals(!claimed.contains("epoch") && !claimed.equals("everything"),
      refused.stream().anyMatch(why -> why.contains("10.0.0.2") && why.contains("10.0.0.3")),
      refused::toString);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stoppedNodeKeepsItsId(boolean dials) {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    b.host.stop();
    Run other = new Run("b", 3);
    for (int i = 0; i < 200; i++) {
      Future<ControlLink> claim = dials ? a.links.link(other.self) : other.links.link(a.self);
      pass(10_000);
      assertFalse(claim.succeeded());
    }
    b.host.resume();
    pass(60_000);
    assertEquals(List.of(), deaths);
    assertEquals(List.of(link), get(a.links.links()));
  }

  /** @param at number of the host that starts the node again */
  @ParameterizedTest
  @CsvSource({"false, 2, 0, false, b", "false, 3, 0, false, b", "true, 2, 0, false, b", "true, 3, 42000, false, b", "false, 3, 0, true, b",
    "true, 3, 42000, true, b", "true, 3, 42000, true, 0"})
  void nodeThatIsStartedAgainIsConnectedSoon(boolean power, int at, long most, boolean dials, String id) {
    Run a = new Run("a", 1);
    Run b = new Run(id, 2);
    ControlLink link = get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    pass(15_000);
    tcp.kill(b.host, power);
    b.host.kill();
    if (power && at == 2) {
      tcp.light(2);
    }
    Run again = new Run(id, at);
    long since = time.now();
    Future<ControlLink> join = dials ? a.links.link(again.self) : again.links.link(a.self);
    while (!join.succeeded() && time.now() - since < TimeUnit.MINUTES.toNanos(2)) {
      join = !join.isComplete() ? join : dials ? a.links.link(again.self) : again.links.link(a.self);
      pass(100);
    }
    assertTrue(join.succeeded() && TimeUnit.NANOSECONDS.toMillis(time.now() - since) <= Math.max(most, 200),
      () -> TimeUnit.NANOSECONDS.toMillis(time.now() - since) + " ms");
    assertFalse(link.isOpen());
    assertEquals(List.of(b.self.epoch()), deaths.stream().map(PeerDeath::epoch).toList());
    pass(60_000);
    assertEquals(List.of(again.self.epoch()), get(a.links.links()).stream().map(ControlLink::epoch).toList());
  }

  @Test
  void connectToProcessWithTheSameNodeIdFails() {
    Run a = new Run("a", 1);
    new Run("a", 2);
    assertEquals("a", get(a.links.meet(SimulatedHost.name(1), 7000)), "its own address");
    Future<String> met = a.links.meet(SimulatedHost.name(2), 7000);
    pass(100);
    assertTrue(met.failed() && met.cause().getMessage().contains("node a is this node itself, or has the same id. Give each node "
      + "its own id"), met::toString);
    assertEquals(List.of(), get(a.links.links()));
  }

  @Test
  void peerThatClaimsTheLocalIdIsRefused() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    List<String> refused = new ArrayList<>();
    a.links.addListener(new Deaths(deaths::add)).refusalHandler((reason, why) -> refused.add(why));
    b.host.tamper = bytes -> {
      b.self = SimulatedHost.entry("a", runs);
      return bytes;
    };
    Future<ControlLink> link = b.links.link(a.self);
    pass(100);
    String why = "node a is this node itself, or has the same id. Give each node its own id (DirectoryOptions.setNodeId)";
    assertTrue(link.failed() && link.cause().getMessage().contains(why), link::toString);
    assertEquals(1, refused.stream().filter(each -> each.contains(why)).count(), refused::toString);
    assertEquals(List.of(), get(a.links.links()));
    assertEquals(List.of(), deaths);
  }

  @Test
  void callsForTwoRunsOfANodeHaveAnAnswerEach() {
    Run a = new Run("a", 1);
    Run gone = new Run("b", 2);
    tcp.kill(gone.host, false);
    gone.host.kill();
    for (Run b : List.of(new Run("b", 2), new Run("b", 3))) {
      Future<ControlLink> stale = a.links.link(gone.self);
      Future<ControlLink> fresh = a.links.link(b.self);
      Future<ControlLink> any = a.links.link(b.self.withEpoch(0));
      assertEquals(b.self.epoch(), get(fresh).epoch());
      assertTrue(stale.failed(), "it is gone");
      assertTrue(any.succeeded(), "any run will do");
      tcp.kill(b.host, false);
      b.host.kill();
      pass(100);
    }
  }

  @Test
  void aPeerThatReadsNothingHoldsUpNoClose() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    b.host.stop();
    Future<Void> sent;
    do {
      sent = link.send(1, Buffer.buffer(new byte[1000]));
      pass(1);
    } while (!sent.failed());
    Future<Void> closed = a.links.close();
    pass(5_000);
    assertTrue(closed.succeeded());
    assertEquals(List.of(b.host), tcp.open().stream().map(end -> end.host).toList());
  }

  @Test
  void aPeerThatAsksAndDoesNotReadGetsNoMoreAnswersThanMayWait() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    get(a.links.link(b.self));
    b.host.tamper = bytes -> {
      Buffer many = Buffer.buffer(bytes);
      for (int i = 0; i < 10_000; i++) {
        many.appendBuffer(ControlSocket.encode((byte) 7, Buffer.buffer()));
      }
      return many.getBytes();
    };
    get(b.links.links()).getFirst().send(1, Buffer.buffer());
    time.settle();
    b.host.stop();
    pass(1_000);
    for (TcpModel.End end : tcp.open()) {
      assertTrue(end.host == b.host || end.waiting() <= TcpModel.HIGH + 100, end.waiting() + " bytes wait");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void longFrameOfPeerEndsItsConnectionBeforeItArrives(boolean dials) {
    int most = 1 << 20;
    for (int beyond = 0; beyond < 2; beyond++) {
      // The payload of the frame also contains the kind of the message.
      int payload = 1 + most + beyond;
      Run a = new Run("a", 1 + 2 * beyond);
      Run b = new Run("b", 2 + 2 * beyond);
      get(dials ? a.links.link(b.self) : b.links.link(a.self));
      ControlLink link = get(a.links.links()).getFirst();
      b.host.tamper = bytes -> Buffer.buffer().appendInt(1 + payload).appendByte((byte) 9).getBytes();
      get(b.links.links()).getFirst().send(1, Buffer.buffer());
      pass(100);
      assertEquals(beyond == 0, link.isOpen(), "the connection is open after the head of a frame of " + payload + " bytes");
    }
  }

  @Test
  void connectionStaysWhilePeerIsStopped() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    List<ControlLink> both = List.of(link, get(b.links.links()).getFirst());
    a.links.addListener(new Deaths(deaths::add));
    b.links.addListener(new Deaths(deaths::add));
    b.host.stop();
    pass(TimeUnit.HOURS.toMillis(1));
    assertTrue(link.isSuspected());
    assertTrue(tcp.open().stream().mapToInt(TcpModel.End::unread).sum() <= ONE_PING_AND_HELLO, "more waits for it");
    b.host.resume();
    pass(60_000);
    assertEquals(List.of(), deaths);
    assertFalse(link.isSuspected());
    assertEquals(both, List.of(get(a.links.links()).getFirst(), get(b.links.links()).getFirst()), "the connections stand");
    assertEquals(2, tcp.open().size(), "ends of connections");
  }

  /** A handshake has 5 s. The process is paused at a moment of it. */
  @ParameterizedTest
  @ValueSource(longs = {6_500, 12_000})
  void handshakeIsNotRefusedForPauseOfThisProcess(long pause) {
    for (int moment = 0; moment < 40; moment++) {
      Run a = new Run("a", 2 * moment + 1);
      Run b = new Run("b", 2 * moment + 2);
      List<String> refusals = new ArrayList<>();
      b.links.refusalHandler((reason, why) -> refusals.add(why));
      a.links.link(b.self);
      while (tcp.open().stream().noneMatch(end -> end.host == b.host && end.isAccepted())) {
        time.pass(1_000);
      }
      time.pass(TimeUnit.MICROSECONDS.toNanos(100L * moment));
      b.host.stop();
      pass(pause);
      b.host.resume();
      pass(10_000);
      assertEquals(List.of(), refusals, "at moment " + moment);
    }
  }

  @Test
  void deathIsKnownAtOnceWhenAddressRefuses() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    b.host.stop();
    pass(TimeUnit.MINUTES.toMillis(10));
    tcp.kill(b.host, false);
    b.host.kill();
    assertTrue(untilDeath() <= 200);
    assertTrue(deaths.getFirst().certain(), deaths.toString());
  }

  @Test
  void refusalIsNoDeathWhileConnectionStands() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    b.host.stop();
    a.host.trouble = new ConnectException("Connection refused");
    pass(TimeUnit.MINUTES.toMillis(10));
    b.host.resume();
    pass(1_000);
    assertEquals(List.of(), deaths);
    assertTrue(link.isOpen());
    assertFalse(link.isSuspected());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deathOfVanishedHostIsKnownAfterDeadTimeout(boolean stopped) {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    if (stopped) {
      b.host.stop();
      pass(TimeUnit.MINUTES.toMillis(10));
    }
    tcp.kill(b.host, true);
    b.host.kill();
    long millis = untilDeath();
    assertTrue(millis >= 30_000 && millis <= 42_000, millis + " ms");
    assertFalse(deaths.getFirst().certain(), deaths.toString());
    assertEquals(List.of(), get(a.links.links()));
  }

  @Test
  void connectionIsReplacedWhenNothingPassesThroughItAlone() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    a.links.addListener(new Deaths(deaths::add));
    b.links.addListener(new Deaths(deaths::add));
    tcp.open().getFirst().silence();
    pass(60_000);
    assertEquals(List.of(), deaths);
    assertFalse(link.isOpen());
    assertEquals(2, tcp.open().size(), "ends of connections");
  }

  @Test
  void peerDeclaredDeadIsNotifiedWhenItReconnects() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    get(a.links.link(b.self));
    b.links.addListener(new Deaths(deaths::add));
    b.host.stop();
    tcp.cut(1, 2, TimeUnit.SECONDS.toNanos(60));
    pass(45_000);
    assertEquals(List.of(), get(a.links.links()), "it was given up");
    pass(15_000);
    Future<String> met = a.links.meet(SimulatedHost.name(2), 7000);
    b.host.resume();
    assertEquals("b", get(met));
    pass(1_000);
    assertEquals(List.of(a.self.epoch()), deaths.stream().map(PeerDeath::epoch).toList());
    assertTrue(deaths.getFirst().writtenOff(), deaths.toString());
    assertEquals("it declared this node dead, after this node had not acknowledged anything for its deadTimeout. Both nodes now "
      + "connect again",
      deaths.getFirst().cause());
  }

  @Test
  void onlyTheLatestPeersDeclaredDeadAreNotified() {
    int most = 1024;
    Run a = new Run("a", 1);
    List<Run> peers = new ArrayList<>();
    for (int i = 0; i <= most; i++) {
      peers.add(new Run("b" + i, 2 + i));
      get(a.links.link(peers.getLast().self));
    }
    // The first one is declared dead before the others.
    vanish(peers.getFirst());
    pass(60_000);
    assertEquals(most, get(a.links.links()).size());
    peers.subList(1, peers.size()).forEach(this::vanish);
    pass(60_000);
    assertEquals(List.of(), get(a.links.links()), "they were given up");
    assertEquals(List.of(true), returned(a, peers.getLast()));
    assertEquals(List.of(), returned(a, peers.getFirst()));
  }

  private void vanish(Run run) {
    run.host.stop();
    tcp.cut(1, run.host.number, TimeUnit.SECONDS.toNanos(60));
  }

  /** Returns for each death that a stopped peer notices when it continues whether the other node had declared it dead. */
  private List<Boolean> returned(Run node, Run peer) {
    List<Boolean> noticed = new ArrayList<>();
    peer.links.addListener(new Deaths(death -> noticed.add(death.writtenOff())));
    Future<String> met = node.links.meet(SimulatedHost.name(peer.host.number), 7000);
    peer.host.resume();
    assertEquals(peer.self.nodeId(), get(met));
    pass(1_000);
    return noticed;
  }

  @Test
  void callersNoticeSilenceSoon() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    assertFalse(a.links.isSuspected("b"), "a caller asked before the connection");
    pass(100);
    for (int round = 0; round < 2; round++) {
      get(a.links.link(b.self));
      b.host.stop();
      long millis = 0;
      for (; !a.links.isSuspected("b") && millis < 60_000; millis += 100) {
        pass(100);
      }
      assertTrue(millis >= 1_000 && millis <= 2_600, millis + " ms");
      b.host.resume();
      pass(100);
      assertFalse(a.links.isSuspected("b"));
    }
  }

  @Test
  void withoutCallersSilenceIsNoticedBeforeTheDeadTimeout() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    ControlLink link = get(a.links.link(b.self));
    b.host.stop();
    pass(9_000);
    assertFalse(link.isSuspected());
    pass(3_000);
    assertTrue(link.isSuspected());
    b.host.resume();
    pass(100);
    assertFalse(link.isSuspected());
  }

  @Test
  void callersThatWereAnsweredLeaveNoDeadline() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    get(a.links.link(b.self));
    b.host.stop();
    tcp.open().getFirst().reset(true);
    pass(100);
    List<Future<ControlLink>> asked = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      asked.add(a.links.link(b.self));
    }
    pass(100);
    assertTrue(a.host.deadlines().size() >= 100, "no deadlines of the callers");
    b.host.resume();
    asked.forEach(this::get);
    assertTrue(a.host.deadlines().size() < 10, a.host.deadlines().size() + " deadlines");
  }

  @Test
  void nodeWithoutControlConnectionsSetsNoTimer() {
    Run a = new Run("a", 1);
    Run b = new Run("b", 2);
    assertEquals(0, time.pending());
    get(a.links.link(b.self));
    assertTrue(time.pending() > 0);
    get(b.links.close());
    pass(60_000);
    assertEquals(0, time.pending());
  }
}
