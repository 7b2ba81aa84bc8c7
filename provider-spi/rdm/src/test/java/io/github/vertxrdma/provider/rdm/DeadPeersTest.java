package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.rdm.FakeFabric.Fate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Control messages to dead peers, which the fabric keeps or refuses, must not delay messages to other peers. */
@Timeout(60)
class DeadPeersTest {
  private static final EndpointAddress ALIVE = EndpointAddress.of("alive");
  /** Maximum time of a connect to a living peer. */
  private static final int SOON_MILLIS = 3_000;

  private final FakeFabric fabric = new FakeFabric();
  private final Node caller = new Node(fabric);
  private final Node alive = new Node(fabric);
  /** Times of the posts to dead peers, in milliseconds. */
  private final List<Long> posts = new ArrayList<>();

  /** Sets the fate of messages to addresses that begin with "dead". */
  private void dead(Fate what) {
    fabric.fate = packet -> {
      boolean gone = packet.to().toString().contains("dead");
      if (gone) {
        posts.add(fabric.now / 1_000_000);
      }
      return gone ? what : Fate.DELIVER;
    };
  }

  private List<Endpoint> call(int number, String name, int timeoutMillis) {
    List<Endpoint> calls = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      calls.add(caller.connect(EndpointAddress.of(name.formatted(i)), timeoutMillis));
    }
    return calls;
  }

  private Endpoint connect() {
    if (!fabric.endpoints.containsKey(ALIVE)) {
      alive.listen(ALIVE);
    }
    Endpoint endpoint = caller.connect(ALIVE, 60_000);
    Node.pass(SOON_MILLIS, caller, alive);
    assertEquals(EndpointState.CONNECTED, endpoint.state());
    return endpoint;
  }

  private ConnectedQueue queue() {
    return (ConnectedQueue) caller.queue;
  }

  @Test
  void deadPeersThatFillAllSlotsKeepNoPeerOut() {
    dead(Fate.STUCK);
    call(ControlSender.SLOTS + 8, "dead-%d", 30_000);
    connect();
    assertEquals(ControlSender.SLOTS + 8, posts.size(), "each was tried");
  }

  @Test
  void deadPeerThatIsCalledRepeatedlyHoldsFewSlots() {
    dead(Fate.STUCK);
    call(100, "dead", 120_000);
    connect();
    Node.pass(60_000, caller, alive);
    assertTrue(posts.size() <= ControlSender.PEER_LATE, posts.toString());
    for (int i = 3; i < posts.size(); i++) {
      assertTrue(posts.get(i) - posts.get(i - 1) > posts.get(i - 1) - posts.get(i - 2), "pauses grow: " + posts);
    }
  }

  @Test
  void refusingPeerIsAskedLessAndLess() {
    dead(Fate.REFUSE);
    call(100, "dead", 10_000);
    Node.pass(1_000, caller);
    posts.clear();
    Node.pass(1_000, caller);
    assertTrue(posts.size() <= 1_000 / 50 + 1, posts.size() + " posts in a second for a hundred calls");
    dead(Fate.DELIVER);
    connect();
  }

  @Test
  void returningPeerIsReachedSoon() {
    dead(Fate.STUCK);
    EndpointAddress at = EndpointAddress.of("dead");
    call(4, "dead", 2_000);
    Node.pass(3_000, caller);
    dead(Fate.DELIVER);
    Node reborn = new Node(fabric);
    reborn.listen(at);
    Endpoint again = caller.connect(at, 10_000);
    Node.pass(10_000, caller, reborn);
    assertEquals(EndpointState.CONNECTED, again.state());
  }

  @Test
  void acceptedConnectionsBeginAndEndBesideThem() {
    caller.listen(EndpointAddress.of("caller"));
    dead(Fate.STUCK);
    call(ControlSender.SLOTS + 8, "dead-%d", 30_000);
    Node.pass(2_000, caller);
    Endpoint newcomer = alive.connect(EndpointAddress.of("caller"), 60_000);
    Node.pass(SOON_MILLIS, caller, alive);
    assertEquals(EndpointState.CONNECTED, newcomer.state());
    caller.accepted.getFirst().close();
    Node.pass(SOON_MILLIS, caller, alive);
    assertEquals(List.of(newcomer), alive.disconnected);
  }

  @Test
  void endpointIsReplacedWhenDeadPeersHoldAllSlots() {
    dead(Fate.STUCK);
    call(200, "dead-%d", 20_000);
    int opened = fabric.opened;
    Node.pass(8_000, caller);
    assertEquals(opened + 1, fabric.opened);
    assertEquals(0, queue().quarantine.operations);
    assertEquals(200, caller.causes.stream().filter(cause -> cause.getMessage().contains("Connect again")).count());
    connect();
  }

  @Test
  void endpointThatCannotBeReplacedIsRetriedWithGrowingPausesAndOneWarning() {
    dead(Fate.STUCK);
    call(200, "dead-%d", 20_000);
    Node.until(() -> queue().endpoints.current.control.isChoked(), caller);
    int opened = fabric.opened;
    fabric.full = true;
    try (LogLines log = new LogLines(SharedEndpoints.class)) {
      Node.pass(80_000, caller);
      assertEquals(7, fabric.opened - opened, "attempts after 0, 1, 3, 7, 15, 31 and 61 s");
      assertEquals(1, log.warnings().stream().filter(line -> line.contains("could not be replaced")).count(), log.warnings()::toString);
    }
    fabric.full = false;
    Node.pass(30_000, caller);
    connect();
  }

  @Test
  void anEndpointInUseIsReplacedLater() {
    Endpoint used = connect();
    dead(Fate.STUCK);
    call(200, "dead-%d", 5_000);
    int opened = fabric.opened;
    Node.pass(20_000, caller, alive);
    assertEquals(EndpointState.CONNECTED, used.state());
    assertEquals(0, caller.send(used, 5));
    Node.until(() -> alive.numbers.size() == 1, caller, alive);
    used.close();
    Node.pass(5_000, caller, alive);
    assertEquals(opened + 1, fabric.opened);
    connect();
  }

  private void send(Endpoint endpoint, int number) {
    for (int i = 0; i < number; i++) {
      assertEquals(0, caller.send(endpoint, i));
    }
  }

  @Test
  void callsToMoreDeadPeersDoNotDelayReplacement() {
    Endpoint died = connect();
    fabric.fate = packet -> packet.type() == MessageType.DATA || packet.to().toString().contains("dead") ? Fate.STUCK : Fate.DELIVER;
    send(died, 40);
    died.peerDead("says a test");
    died.close();
    int opened = fabric.opened;
    for (int i = 0; i < 10; i++) {
      call(1, "dead-" + i, 1_500);
      Node.pass(2_000, caller);
    }
    assertEquals(opened + 1, fabric.opened);
    connect();
  }

  /** A few old operations must not shorten the time of many later ones. */
  @Test
  void operationsThatReturnInTimeEndNoConnection() {
    Endpoint used = connect();
    Endpoint died = connect();
    Endpoint ended = connect();
    fabric.fate = packet -> Fate.STUCK;
    send(died, 2);
    died.peerDead("says a test");
    died.close();
    Node.pass(10_000, caller, alive);
    fabric.fate = packet -> packet.type() == MessageType.DATA ? Fate.END_LATER : Fate.DELIVER;
    send(ended, 43);
    ended.close();
    Node.pass(2_000, caller, alive);
    fabric.endLate();
    Node.pass(10_000, caller, alive);
    assertEquals(EndpointState.CONNECTED, used.state());
    assertEquals(2, queue().quarantine.operations);
  }

  @Test
  void closeDoesNotWaitForDeadPeers() {
    dead(Fate.STUCK);
    call(4, "dead-%d", 2_000);
    Node.pass(3_000, caller);
    assertEquals(0, queue().endpoints.current.control.pending());
  }

  @Test
  void closingDoesNotWaitWhereThereIsNoPlace() {
    dead(Fate.STUCK);
    call(200, "dead-%d", 20_000);
    ControlSender control = queue().endpoints.current.control;
    Node.until(control::isChoked, caller);
    assertEquals(0, control.pending());
  }

  @Test
  void lateOperationsAreCountedOnce() {
    dead(Fate.FAIL_LATER);
    List<Endpoint> calls = call(ControlSender.SLOTS, "dead-%d", 2_000);
    Node.pass(3_000, caller);
    assertTrue(queue().quarantine.operations > 0);
    fabric.endLate();
    Node.pass(100, caller);
    calls.forEach(Endpoint::close);
    Node.pass(100, caller);
    assertEquals(0, queue().quarantine.operations);
    assertTrue(fabric.endpoints.get(caller.connect(ALIVE, 10).localAddress()).peers.size() == 1);
  }

  /** A quarter of the send queue is for late messages, and half of the quarter for those to strangers. */
  @Test
  void lateMessagesAreLimited() {
    EndpointAddress here = EndpointAddress.of("caller");
    caller.listen(here);
    dead(Fate.STUCK);
    for (int i = 0; i < 100; i++) {
      new RawPeer(caller, here).request(EndpointAddress.of("dead-stranger-" + i));
    }
    Node.pass(4_000, caller);
    int late = queue().endpoints.current.sends.capacity / 4;
    assertEquals(ControlSender.UNPROVEN_SLOTS + late / 2, posts.size());
    call(100, "dead-%d", 20_000);
    int opened = fabric.opened;
    Node.until(() -> fabric.opened > opened, caller);
    assertEquals(ControlSender.SLOTS + late, posts.size());
  }

  /** All of them are called or answered at once. At most half of the places are for peers that have no connection. */
  @Test
  void messagesThatWaitForDeadPeersAreLimited() {
    EndpointAddress here = EndpointAddress.of("caller");
    caller.listen(here);
    dead(Fate.STUCK);
    for (int i = 0; i < 3_000; i++) {
      new RawPeer(caller, here).request(EndpointAddress.of("dead-stranger-" + i % 20));
    }
    List<?> waiting = queue().endpoints.current.control.waiting;
    assertEquals(2_048, waiting.size());
    call(300, "dead", 30_000);
    assertEquals(2_048 + 256, waiting.size());
    call(5_000, "dead-%d", 30_000);
    assertEquals(4_096, waiting.size());
  }

  /** Without the limit, the search for a free tag does not end. */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void connectionsOfAnEndpointAreLimited() {
    dead(Fate.STUCK);
    List<Endpoint> calls = call(65_535, "dead", 30_000);
    assertEquals(Reason.LIMIT, assertThrows(ProviderException.class, () -> call(1, "dead", 30_000)).reason());
    calls.getFirst().close();
    call(1, "dead", 30_000);
  }
}
