package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.FakeFabric.Fate;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RdmLayerTest {
  private static final EndpointAddress B = EndpointAddress.of("b");

  private final FakeFabric fabric = new FakeFabric();
  private final Node a = new Node(fabric);
  private final Node b = new Node(fabric);

  private Endpoint connect() {
    return a.connect(b, B);
  }

  private void assertConnectedOnce() {
    connect();
    Node.pass(100, a, b);
    assertEquals(1, a.connected.size());
    assertEquals(1, b.connected.size());
    assertEquals(1, b.requests.size());
    assertArrayEquals(new byte[] {1, 2, 3}, b.requests.getFirst().privateData());
    assertEquals(Status.OK, a.send(a.connected.getFirst(), 7));
    assertEquals(Status.OK, b.send(b.connected.getFirst(), 8));
    Node.until(() -> a.numbers.size() + b.numbers.size() == 2, a, b);
    assertEquals(8, a.numbers.getFirst().value());
    assertSame(b.connected.getFirst(), b.numbers.getFirst().from());
  }

  @ParameterizedTest
  @EnumSource(names = {"REQ", "REP", "RTU"})
  void lostHandshakeMessageIsRepeated(MessageType lost) {
    int[] left = {2};
    fabric.fate = packet -> packet.type() == lost && left[0]-- > 0 ? Fate.DROP : Fate.DELIVER;
    assertConnectedOnce();
  }

  @Test
  void dataReplacesALostReady() {
    fabric.fate = packet -> packet.type() == MessageType.RTU ? Fate.DROP : Fate.DELIVER;
    b.listen(B);
    Endpoint left = a.connect(B, 10_000);
    Node.until(() -> left.state() == EndpointState.CONNECTED, a, b);
    a.send(left, 5);
    Node.until(() -> b.numbers.size() == 1, a, b);
    assertEquals(1, b.connected.size());
  }

  @Test
  void duplicatedMessagesHaveNoEffect() {
    fabric.fate = packet -> packet.type() != MessageType.DATA ? Fate.TWICE : Fate.DELIVER;
    assertConnectedOnce();
    a.connected.getFirst().disconnect();
    Node.until(() -> b.disconnected.size() == 1 && a.disconnected.size() == 1, a, b);
  }

  /** Sequence numbers have 32 bits. The next message overtakes every second one. */
  @ParameterizedTest
  @ValueSource(ints = {-5, Integer.MAX_VALUE - 4})
  void messagesKeepTheirOrderWhenTheirNumbersStartAgain(int first) {
    Endpoint left = connect();
    Node.connection(left).nextSequence = first;
    Node.connection(b.connected.getFirst()).expected = first;
    int count = 12;
    for (int value = 0; value < count; value++) {
      boolean overtaken = value % 2 == 0;
      fabric.fate = packet -> overtaken && packet.type() == MessageType.DATA ? Fate.HOLD : Fate.DELIVER;
      assertEquals(Status.OK, a.send(left, value));
      Node.pass(1, a, b);
      if (!overtaken) {
        fabric.fate = packet -> Fate.DELIVER;
        fabric.release();
        int arrived = value + 1;
        Node.until(() -> b.numbers.size() == arrived, a, b);
      }
    }
    assertEquals(LongStream.range(0, count).boxed().toList(), b.numbers.stream().map(Node.Number::value).toList());
  }

  @Test
  void lateDuplicateHelloIsIgnored() {
    byte[][] hello = new byte[1][];
    fabric.fate = packet -> {
      if (packet.type() == MessageType.REQ) {
        hello[0] = packet.bytes();
        fabric.held.add(packet);
      }
      return Fate.DELIVER;
    };
    Endpoint left = connect();
    left.close();
    Node.until(() -> b.disconnected.size() == 1, a, b);
    b.disconnected.getFirst().close();
    fabric.release();
    Node.pass(100, a, b);
    assertEquals(1, b.requests.size());
  }

  @Test
  void silentSendsArriveAndTakeNoPlace() {
    fabric.silent = true;
    Endpoint left = connect();
    int many = 3 * left.sendDepth();
    for (int i = 0; i < many; i++) {
      assertEquals(Status.OK, a.sendSilently(left, i));
      assertEquals(0, left.outstanding());
      b.poll();
    }
    Node.until(() -> b.numbers.size() == many, a, b);
    for (int i = 0; i < many; i++) {
      assertEquals(i, b.numbers.get(i).value());
    }
    assertEquals(List.of(), a.ended);
  }

  @Test
  void aSilentSendThatFailsEndsItsConnectionAlone() {
    fabric.silent = true;
    Endpoint one = connect();
    Endpoint two = a.connect(B, 60_000);
    Node.until(() -> two.state() == EndpointState.CONNECTED, a, b);
    assertEquals(Status.OK, a.sendSilently(one, 1));
    fabric.fate = packet -> packet.type() == MessageType.DATA ? Fate.FAIL : Fate.DELIVER;
    assertEquals(Status.OK, a.sendSilently(two, 2));
    Node.until(() -> a.disconnected.contains(two), a, b);
    fabric.fate = packet -> Fate.DELIVER;
    assertTrue(a.causes.getFirst().getMessage().contains("nobody there"), a.causes.getFirst().getMessage());
    assertEquals(Status.OK, a.sendSilently(one, 3));
    Node.until(() -> b.numbers.size() == 2, a, b);
    assertEquals(EndpointState.CONNECTED, one.state());
  }

  @Test
  void connectWithoutListenerFailsAtOnce() {
    b.listen(B).close();
    Endpoint left = a.connect(B, 60_000);
    Node.until(() -> a.disconnected.contains(left), a, b);
    assertEquals(Reason.REFUSED, a.causes.getFirst().reason());
  }

  @Test
  void connectWithoutPeerFailsAfterSomeErrors() {
    fabric.fate = packet -> Fate.FAIL;
    Endpoint left = a.connect(EndpointAddress.of("nowhere"), 60_000);
    Node.until(() -> a.disconnected.contains(left), a);
    assertEquals(Reason.REFUSED, a.causes.getFirst().reason());
    assertTrue(a.causes.getFirst().getMessage().contains("nobody there"), a.causes.getFirst().getMessage());
  }

  @Test
  void silentPeerCausesTimeout() {
    Endpoint left = a.connect(EndpointAddress.of("nowhere"), 50);
    assertTrue(a.queue.unannounced() > 0, "nothing but polling ends the handshake");
    Node.until(() -> a.disconnected.contains(left), a);
    assertEquals(Reason.TIMEOUT, a.causes.getFirst().reason());
    assertEquals(0, a.queue.unannounced());
  }

  /** Otherwise the acceptor would wait for its own timeout. */
  @Test
  void anAcceptThatComesTooLateIsAnsweredWithTheEnd() {
    b.listen(B);
    fabric.fate = packet -> packet.type() == MessageType.REP ? Fate.HOLD : Fate.DELIVER;
    Endpoint left = a.connect(B, 50);
    Endpoint closed = a.connect(B, 10_000);
    Node.until(() -> a.disconnected.contains(left), a, b);
    closed.close();
    fabric.fate = packet -> Fate.DELIVER;
    fabric.release();
    Node.pass(1_000, a, b);
    assertEquals(List.of(EndpointState.BROKEN, EndpointState.BROKEN), b.accepted.stream().map(Endpoint::state).toList());
    assertTrue(b.causes.stream().allMatch(cause -> cause.reason() == Reason.DISCONNECTED), b.causes.toString());
  }

  @Test
  void helloIsRetriedWhenFabricIsBusy() {
    b.listen(B);
    Endpoint first = a.domain.createEndpoint(a.queue, a.options(), a);
    FakeFabric.FakeEndpoint raw = fabric.endpoints.get(first.localAddress());
    raw.busy = true;
    first.connect(B, new byte[0]);
    for (int i = 0; i < 100; i++) {
      a.poll();
    }
    assertEquals(EndpointState.CONNECTING, first.state());
    raw.busy = false;
    Node.until(() -> first.state() == EndpointState.CONNECTED, a, b);
  }

  @Test
  void peerThatMissedTheEndIsNotified() {
    Endpoint left = connect();
    fabric.fate = packet -> packet.type() == MessageType.DREQ ? Fate.DROP : Fate.DELIVER;
    b.connected.getFirst().close();
    assertEquals(Status.OK, a.send(left, 1));
    Node.until(() -> a.disconnected.contains(left), a, b);
    assertEquals(Reason.DISCONNECTED, a.causes.getFirst().reason());
    assertTrue(b.numbers.isEmpty());
    assertEquals(Node.SLOTS, fabric.endpoints.get(B).posted());
  }

  @Test
  void aNewProcessAtTheAddressEndsConnectionsOfTheOld() {
    Endpoint old = connect();
    fabric.fate = packet -> packet.type() == MessageType.DREQ ? Fate.DROP : Fate.DELIVER;
    b.queue.close();
    Node reborn = new Node(fabric);
    reborn.listen(B);
    a.listen(null);
    EndpointAddress atA = old.localAddress();
    Endpoint back = reborn.connect(atA, 10_000);
    Node.until(() -> back.state() == EndpointState.CONNECTED && a.disconnected.contains(old) && a.connected.size() == 2, a, reborn);
    assertTrue(a.causes.getFirst().getMessage().contains("another process"), a.causes.getFirst().getMessage());
  }

  @Test
  void aNewProcessAtTheAddressEndsTheWaitForLastMessagesOfTheOld() {
    Endpoint old = connect();
    fabric.fate = packet -> packet.type() == MessageType.DATA ? Fate.DROP : Fate.DELIVER;
    assertEquals(Status.OK, b.send(b.connected.getFirst(), 1));
    b.connected.getFirst().disconnect();
    Node.until(() -> b.disconnected.size() == 1, b, a);
    Node.pass(100, a, b);
    assertTrue(a.disconnected.isEmpty(), "a message may still be under way");
    b.queue.close();
    Node reborn = new Node(fabric);
    reborn.listen(B);
    a.listen(null);
    Endpoint back = reborn.connect(old.localAddress(), 10_000);
    Node.until(() -> back.state() == EndpointState.CONNECTED, a, reborn);
    Node.pass(100, a, reborn);
    assertTrue(a.disconnected.contains(old), "nobody is there who could send it");
  }

  /** If the fabric promises an order of messages, a signalled send waits only if it follows unsignalled ones. */
  @Test
  void sendCompletesAfterUnsignalledOnesBeforeIt() {
    fabric.orders = Set.of(Capabilities.Order.SEND_AFTER_SEND);
    Endpoint left = connect();
    fabric.fate = packet -> packet.type() == MessageType.DATA && Node.value(packet.bytes()) < 10 ? Fate.END_LATER : Fate.DELIVER;
    assertEquals(Status.OK, a.send(left, 1));
    assertEquals(Status.OK, a.send(left, 11));
    Node.until(() -> a.ended.equals(List.of(11L)), a, b);
    fabric.endLate();
    Node.until(() -> a.ended.equals(List.of(11L, 1L)), a, b);
    assertEquals(Status.OK, a.send(left, 2, 0));
    assertEquals(Status.OK, a.send(left, 12));
    assertEquals(Status.OK, a.send(left, 13));
    assertEquals(Status.OK, a.send(left, 3));
    Node.until(() -> b.numbers.size() == 6, a, b);
    Node.pass(10, a, b);
    assertEquals(List.of(11L, 1L), a.ended);
    fabric.endLate();
    Node.until(() -> a.ended.equals(List.of(11L, 1L, 12L, 13L, 3L)), a, b);
    assertEquals(0, left.outstanding());
  }

  @Test
  void theEndWaitsForTheLastMessages() {
    Endpoint left = connect();
    fabric.fate = packet -> packet.type() == MessageType.DATA ? Fate.HOLD : Fate.DELIVER;
    for (int i = 0; i < 40; i++) {
      assertEquals(Status.OK, a.send(left, i));
      a.poll();
    }
    left.disconnect();
    Node.pass(100, a, b);
    assertTrue(a.disconnected.contains(left));
    assertTrue(b.disconnected.isEmpty());
    assertEquals(Status.NOT_CONNECTED, b.send(b.connected.getFirst(), 1));
    Collections.reverse(fabric.held);
    fabric.release();
    Node.until(() -> !b.disconnected.isEmpty(), a, b);
    assertArrayEquals(LongStream.range(0, 40).toArray(), b.numbers.stream().mapToLong(Node.Number::value).toArray());
    assertEquals(Node.SLOTS, fabric.endpoints.get(B).posted());
  }

  /** Otherwise the queue would never sleep again. */
  @Test
  void anEndDoesNotWaitForMessagesWhoseReceivesAreClosed() {
    Listener listener = b.listen(B);
    Endpoint left = connect();
    fabric.fate = packet -> packet.type() == MessageType.DATA ? Fate.HOLD : Fate.DELIVER;
    for (int i = 0; i < 40; i++) {
      assertEquals(Status.OK, a.send(left, i));
      a.poll();
    }
    left.disconnect();
    Node.pass(100, a, b);
    Collections.reverse(fabric.held);
    fabric.release();
    Node.until(() -> !b.numbers.isEmpty(), b);
    assertTrue(b.numbers.size() < 40, "more than fit one batch");
    b.connected.getFirst().close();
    listener.close();
    b.receives.close();
    Node.until(() -> b.flushed.size() == Node.SLOTS, b);
    Node.until(b.queue::arm, b);
  }

  @Test
  void messagesBehindALostOneReleaseTheirSlots() {
    Endpoint left = connect();
    int[] count = {0};
    fabric.fate = packet -> packet.type() == MessageType.DATA && count[0]++ == 0 ? Fate.DROP : Fate.DELIVER;
    for (int i = 0; i < 10; i++) {
      a.send(left, i);
    }
    for (int i = 0; i < 100; i++) {
      b.poll();
    }
    assertTrue(b.numbers.isEmpty());
    assertEquals(Node.SLOTS - 10 + 1, fabric.endpoints.get(B).posted());
    b.connected.getFirst().peerDead("says a test");
    assertEquals(Node.SLOTS, fabric.endpoints.get(B).posted());
    Node.until(() -> b.disconnected.size() == 1, b);
  }

  @Test
  void receivesInMemoryThatMayOnlyBeReadAreRefused() {
    CompletionQueue queue = b.domain.createCompletionQueue(16);
    ReceiveQueue receives = b.domain.createSharedReceiveQueue(queue, 4);
    MemoryRegion region = b.domain.register(Arena.ofAuto().allocate(Node.SLOT).asReadOnly(), EnumSet.of(Access.LOCAL_WRITE));
    Listener listener = b.domain.listen(queue, B, new EndpointOptions().withReceiveQueue(receives), request -> {});
    assertEquals(Status.LOCAL_RANGE, receives.post(1, region, 0, Node.SLOT));
    listener.close();
    receives.close();
    assertEquals(0, queue.poll(b.batch));
    queue.close();
  }

  @Test
  void bothEndsOnOneQueue() {
    a.listen(B);
    Endpoint left = a.connect(B, 10_000);
    Node.until(() -> a.connected.size() == 2, a);
    Endpoint right = a.connected.get(a.connected.get(0) == left ? 1 : 0);
    assertNotSame(left, right);
    a.send(left, 1);
    a.send(right, 2);
    Node.until(() -> a.numbers.size() == 2, a);
    Map<Boolean, Long> byRight = new java.util.HashMap<>();
    a.numbers.forEach(n -> byRight.put(n.from() == right, n.value()));
    assertEquals(Map.of(true, 1L, false, 2L), byRight);
    left.close();
    Node.until(() -> a.disconnected.contains(right), a);
  }

  @Test
  void immediatesAreUnsupported() {
    Endpoint left = connect();
    assertEquals(0, a.domain.capabilities().immediateBits());
    assertEquals(Status.UNSUPPORTED, left.post(new WorkRequest().send(a.source, 0, 32).immediate(1).id(1)));
    fabric.endpoints.get(B).injectWrite();
    a.send(left, 1);
    Node.until(() -> b.numbers.size() == 1, a, b);
  }

  @Test
  void peersLeaveTheAddressVector() {
    Endpoint left = connect();
    Endpoint second = connect();
    FakeFabric.FakeEndpoint raw = fabric.endpoints.get(left.localAddress());
    assertEquals(1, raw.peers.size());
    left.close();
    Node.until(() -> b.disconnected.size() == 1, a, b);
    assertEquals(1, raw.peers.size());
    second.close();
    Node.until(() -> raw.peers.isEmpty(), a, b);
  }

  @Test
  void closeReleasesAllResources() {
    Endpoint left = connect();
    fabric.fate = packet -> Fate.STUCK;
    for (int i = 0; i < 5; i++) {
      assertEquals(Status.OK, a.send(left, i));
    }
    left.peerDead("says a test");
    left.close();
    assertEquals(5, left.outstanding());
    a.receives.close();
    assertEquals(0, left.outstanding());
    Node.until(() -> a.flushed.size() == 5 + Node.SLOTS, a);
    assertFalse(fabric.endpoints.containsKey(left.localAddress()));
  }

  // ---- raw endpoints

  @Test
  void theRawEndpointOpensLateAndOnce() {
    assertEquals(0, fabric.opened);
    connect();
    connect();
    assertEquals(2, fabric.opened);
    ProviderException second = assertThrows(ProviderException.class, () -> b.listen(null));
    assertEquals(Reason.ADDRESS_IN_USE, second.reason());
    assertTrue(second.getMessage().contains("b"), second.getMessage());
    assertEquals(Reason.INVALID, assertThrows(ProviderException.class, () -> a.listen(EndpointAddress.of("elsewhere"))).reason());
    assertEquals(Reason.INVALID, assertThrows(ProviderException.class, a.receives::close).reason());
  }

  @Test
  void aRawEndpointWithoutMemoryForItsMessagesIsOpenedLater() {
    fabric.full = true;
    assertEquals(Reason.LIMIT, assertThrows(ProviderException.class, () -> b.listen(B)).reason());
    assertFalse(fabric.endpoints.containsKey(B));
    fabric.full = false;
    connect();
  }

  /**
   * Fills the send queue with messages to a peer, then declares the peer dead.
   *
   * @return number of messages that stay with the fabric
   */
  private int closeWithStuckMessages(Endpoint left) {
    fabric.fate = packet -> Fate.STUCK;
    int stuck = 0;
    while (a.send(left, stuck) == Status.OK) {
      stuck++;
    }
    fabric.fate = packet -> Fate.DELIVER;
    left.peerDead("says a test");
    left.close();
    return stuck;
  }

  @Test
  void operationsToDeadPeersDoNotHoldTheEndpointForEver() {
    Endpoint left = connect();
    EndpointAddress address = left.localAddress();
    int stuck = closeWithStuckMessages(left);
    assertTrue(stuck >= 40, "" + stuck);
    Node.until(() -> a.flushed.size() == stuck, a, b);
    assertEquals(0, left.outstanding());
    assertEquals(3, fabric.opened);
    assertEquals(Node.SLOTS, fabric.endpoints.get(address).posted());
    Endpoint next = connect();
    assertEquals(address, next.localAddress());
    b.send(b.connected.getLast(), 4);
    Node.until(() -> a.numbers.size() == 1, a, b);
    assertEquals(4, a.numbers.getFirst().value());
  }

  @Test
  void anEndpointWithoutReceivesIsNotReplaced() {
    Endpoint left = connect();
    EndpointAddress address = left.localAddress();
    int stuck = closeWithStuckMessages(left);
    fabric.endpoints.put(address, fabric.endpoints.get(B));
    Node.until(() -> fabric.opened == 3, a);
    fabric.endpoints.remove(address);
    a.receives.close();
    Node.pass(2_000, a);
    assertEquals(3, fabric.opened);
    assertEquals(stuck + Node.SLOTS, a.flushed.size());
  }

  /** Otherwise the connection could never post again. */
  @Test
  void connectionWithoutRoomDueToDeadPeersIsEnded() {
    Endpoint left = connect();
    Endpoint other = connect();
    EndpointAddress address = left.localAddress();
    int stuck = closeWithStuckMessages(left);
    assertEquals(Status.AGAIN, a.send(other, 1));
    Node.until(() -> a.disconnected.contains(other), a, b);
    assertTrue(a.causes.getLast().getMessage().contains(stuck + " operations to dead peers"), a.causes.getLast().getMessage());
    other.close();
    Node.until(() -> fabric.opened == 3, a, b);
    Endpoint next = connect();
    assertEquals(address, next.localAddress());
    assertEquals(Status.OK, a.send(next, 4));
    Node.until(() -> b.numbers.size() == 1, a, b);
  }

  @Test
  void operationsToDeadPeersNeedNoPolls() {
    Endpoint left = connect();
    Endpoint other = connect();
    Node.until(() -> a.queue.unannounced() == 0, a, b);
    fabric.fate = packet -> Fate.STUCK;
    assertEquals(Status.OK, left.post(new WorkRequest().write(a.source, 0, 0, null, 0).id(1).flags(PostFlags.SIGNALED)));
    assertEquals(Status.OK, other.post(new WorkRequest().write(a.source, 0, 0, null, 0).id(2).flags(PostFlags.SIGNALED)));
    assertEquals(Status.OK, a.send(left, 3));
    assertEquals(2, a.queue.unannounced());
    left.peerDead("says a test");
    assertEquals(1, a.queue.unannounced());
    left.close();
    assertEquals(1, a.queue.unannounced());
    other.peerDead("says a test");
    assertEquals(0, a.queue.unannounced());
  }
}
