package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.rdm.FakeFabric.Fate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that breaks the protocol, or a stranger, fails at most its own connection. It takes no receives from others. */
@Timeout(60)
class HostilePeerTest {
  private static final EndpointAddress AT = EndpointAddress.of("node");
  private static final int GRANTED = 8;
  private static final int REMEMBERED = 4096;

  private final FakeFabric fabric = new FakeFabric();
  private final Node node = new Node(fabric);
  private final Node honest = new Node(fabric);
  private Endpoint honestEnd;

  @BeforeEach
  void anHonestPeer() {
    node.listen(AT);
    honestEnd = honest.connect(AT, 10_000);
    Node.until(() -> node.connected.size() == 1, node, honest);
  }

  @AfterEach
  void theOthersGoOn() {
    node.numbers.clear();
    assertEquals(Node.SLOTS, fabric.endpoints.get(AT).posted(), "receives");
    for (int i = 0; i < 100; i++) {
      assertEquals(0, honest.send(honestEnd, i));
      honest.poll();
      node.poll();
    }
    Node.until(() -> node.numbers.size() == 100, node, honest);
    assertTrue(honest.disconnected.isEmpty());
    Node newcomer = new Node(fabric);
    Endpoint late = newcomer.connect(AT, 10_000);
    Node.until(() -> late.state() == EndpointState.CONNECTED, node, newcomer);
    newcomer.queue.close();
    Node.pass(10, node, honest);
  }

  private RawPeer peer() {
    return new RawPeer(node, AT);
  }

  private void assertCutOff(RawPeer peer, String words) {
    peer.settle();
    assertEquals(EndpointState.BROKEN, peer.end().state());
    String message = peer.end().failure().getMessage();
    assertTrue(message.contains(words) && message.contains(peer.address.toString()), message);
  }

  // ---- messages

  @Test
  void messagesFarAheadHoldNoMoreThanWasGranted() {
    RawPeer peer = peer().established();
    peer.end().granted(GRANTED);
    for (int i = 1; i < GRANTED; i++) {
      peer.data(i);
    }
    assertEquals(EndpointState.CONNECTED, peer.end().state());
    assertEquals(Node.SLOTS - GRANTED + 1, fabric.endpoints.get(AT).posted());
    peer.data(GRANTED);
    assertCutOff(peer, "sent message 8, but message 0 was expected, and 8 receives were granted to it");
  }

  @Test
  void heldMessagesOfManyPeersLeaveTheOthersTheirReceives() {
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RawPeer peer = peer().established();
      peer.end().granted(4);
      peers.add(peer);
      for (int ahead = 1; ahead < 4; ahead++) {
        peer.data(ahead);
      }
    }
    assertEquals(0, honest.send(honestEnd, 77));
    Node.until(() -> node.numbers.size() == 1, node, honest);
    peers.forEach(peer -> peer.data(200));
    peers.forEach(peer -> assertEquals(EndpointState.BROKEN, Node.connection(peer.end()).state.state));
  }

  @Test
  void messagesWithUnexpectedSequenceAreRejected() {
    for (int sequence : new int[] {-1, 500, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      RawPeer peer = peer().established();
      peer.data(sequence);
      assertCutOff(peer, "sent message " + sequence);
    }
    RawPeer replayed = peer().established();
    replayed.data(0);
    replayed.data(0);
    assertCutOff(replayed, "sent message 0, but message 1 was expected");
    RawPeer twiceHeld = peer().established();
    twiceHeld.data(2);
    twiceHeld.data(2);
    assertCutOff(twiceHeld, "sent message 2, but message 0 was expected");
  }

  @Test
  void overLongMessagesOfStrangersCostNoReceive() {
    RawPeer stranger = peer();
    for (int i = 0; i < 10 * Node.SLOTS; i++) {
      stranger.send(new byte[Node.SLOT + 1]);
    }
    assertEquals(10 * Node.SLOTS, node.lengthErrors.size());
    assertEquals(Node.SLOTS, fabric.endpoints.get(AT).posted());
    // These messages start no wait for a missing message.
    Node.pass(20_000, node, honest);
  }

  @Test
  void messagesOfStrangersThatBreakOffCostNoReceive() {
    FakeFabric.FakeEndpoint endpoint = fabric.endpoints.get(AT);
    for (int i = 0; i < 2 * Node.SLOTS; i++) {
      endpoint.breakOff(i % 2 == 0 ? Status.FLUSHED : Status.CANCELLED);
      node.poll();
      assertEquals(Node.SLOTS, endpoint.posted());
    }
    assertEquals(List.of(), node.flushed);
  }

  @Test
  void aGapAfterAnOverLongMessageEndsItsConnectionAlone() {
    RawPeer peer = peer().established();
    peer.send(new byte[Node.SLOT + 1]);
    peer.data(1);
    Node.pass(9_000, node, honest);
    assertEquals(EndpointState.CONNECTED, peer.end().state());
    Node.pass(2_000, node, honest);
    assertCutOff(peer, "longer than the receive");
  }

  /**
   * The gap begins right after another one closed, between two checks of deadlines, a millisecond apart; or a later message arrived before
   * that; or a short message overtook the long one, as on some fabrics.
   *
   * @param messages numbers of messages; -1 for one that is longer than the receive
   */
  @ParameterizedTest
  @ValueSource(strings = {"-1 1 0 3", "-1 1 3 0", "1 -1"})
  void gapThatAnOverLongMessageLeftEndsTheConnection(String messages) {
    RawPeer peer = peer().established();
    peer.end().granted(GRANTED);
    for (String message : messages.split(" ")) {
      if (message.equals("-1")) {
        peer.send(new byte[Node.SLOT + 1]);
      } else {
        peer.data(Integer.parseInt(message));
      }
    }
    Node.pass(11_000, node, honest);
    assertCutOff(peer, "longer than the receive");
  }

  /** The connection waits for the missing and the last messages, and ends once. */
  @Test
  void aGoodbyeAfterAGap() {
    RawPeer peer = peer().established();
    peer.send(new byte[Node.SLOT + 1]);
    peer.data(1);
    peer.send(MessageType.DREQ);
    Node.pass(30_000, node, honest);
    assertEquals(List.of(peer.end()), node.disconnected);
    assertEquals(0, node.queue.unannounced());
  }

  @Test
  void mutatedMessagesInAnyState() {
    Random random = new Random(3);
    for (int round = 0; round < 3_000; round++) {
      RawPeer peer = peer();
      int state = random.nextInt(4);
      if (state == 1) {
        node.accepted.add(node.connect(peer.address, 200));
        peer.take();
      } else if (state == 2) {
        peer.requested();
      } else if (state == 3) {
        peer.established();
      }
      MessageType type = MessageType.of(random.nextInt(8));
      byte[] bytes = type == MessageType.DATA ? peer.dataBytes(random.nextInt(3))
        : new ControlMessage(type, ControlMessage.VERSIONS, peer.connection, peer.tag, peer.id,
          random.nextLong(3), random.nextInt(4), random.nextBoolean() ? peer.address : null, new byte[random.nextInt(70)]).encode();
      int changes = random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(9));
      }
      if (random.nextInt(5) == 0) {
        bytes = Arrays.copyOf(bytes, random.nextInt(Node.SLOT + 20));
      }
      for (int copies = random.nextInt(3); copies >= 0; copies--) {
        peer.send(bytes);
      }
      node.accepted.forEach(Endpoint::close);
      node.accepted.clear();
      fabric.mailboxes.remove(peer.address);
      if (round % 50 == 0) {
        Node.pass(20, node, honest);
      }
    }
    honestAgain();
    Node.pass(15_000, node, honest);
    assertEquals(1, ((ConnectedQueue) node.queue).connections.size, "connections");
  }

  /** Connects the honest node again, after the node has closed all endpoints that it accepted. */
  private void honestAgain() {
    honestEnd.close();
    Endpoint next = honest.connect(AT, 10_000);
    Node.until(() -> next.state() == EndpointState.CONNECTED, node, honest);
    honestEnd = next;
    honest.disconnected.clear();
  }

  @Test
  void connectionsThatEndedEarliestAreForgotten() {
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i <= REMEMBERED; i++) {
      RawPeer peer = peer().established();
      peer.send(MessageType.RESET);
      peer.end().close();
      peers.add(peer);
      Node.pass(1, node, honest);
    }
    assertEquals(List.of(), answers(peers.get(0), MessageType.DATA));
    assertEquals(List.of(MessageType.RESET), answers(peers.get(1), MessageType.DATA));
    assertEquals(List.of(), answers(peers.get(1), MessageType.REQ));
    assertEquals(List.of(MessageType.REP), answers(peers.get(0), MessageType.REQ));
  }

  private static List<MessageType> answers(RawPeer peer, MessageType sent) {
    peer.take();
    peer.send(sent);
    return peer.take();
  }

  // ---- strangers

  private int strangers() {
    FakeFabric.FakeEndpoint endpoint = fabric.endpoints.get(AT);
    return endpoint.peers.size() - 1;
  }

  /** Sends requests with the addresses of other peers, and polls meanwhile. */
  private void requests(int number, int perMilli) {
    for (int i = 0; i < number; i++) {
      peer().request(EndpointAddress.of("victim-" + i));
      assertTrue(strangers() <= SharedEndpoint.MOST_UNPROVEN, "addresses");
      if (i % perMilli == 0) {
        Node.pass(1, node, honest);
      }
    }
  }

  @Test
  void addressesOfStrangersLeaveAfterTheirTime() {
    requests(600, 100);
    assertEquals(SharedEndpoint.MOST_UNPROVEN, strangers());
    Node.pass(25_000, node, honest);
    node.accepted.stream().skip(1).forEach(Endpoint::close);
    Node.pass(5_000, node, honest);
    assertEquals(0, strangers());
  }

  @Test
  void refusalsInASecondAreFew() {
    Node deaf = new Node(fabric);
    EndpointAddress at = EndpointAddress.of("deaf");
    deaf.listen(at).close();
    FakeFabric.FakeEndpoint endpoint = fabric.endpoints.get(at);
    for (int i = 0; i < 20_000; i++) {
      new RawPeer(deaf, at).request(EndpointAddress.of("victim-" + i));
      if (i % 10 == 0) {
        Node.pass(1, deaf);
      }
    }
    assertEquals(20_000 / 10 + SharedEndpoint.MOST_UNPROVEN, endpoint.handles, 20);
    Node.pass(2_000, deaf);
    assertEquals(0, endpoint.peers.size());
  }

  @Test
  void unansweredRequestsAreBoundedAndExpire() {
    node.accepting = false;
    int before = node.requests.size();
    requests(ConnectionRequests.MOST + 500, 100);
    assertEquals(ConnectionRequests.MOST, node.requests.size() - before);
    assertEquals(0, strangers());
    Node.pass(11_000, node, honest);
    RawPeer next = peer();
    next.send(MessageType.REQ);
    assertEquals(ConnectionRequests.MOST + 1, node.requests.size() - before, "those of nobody made room");
    node.requests.get(before).reject(new byte[0]);
    Endpoint late = node.requests.get(before + 1).createEndpoint(node.queue, node.options(), node);
    node.requests.get(before + 1).accept(new byte[0]);
    Node.pass(11_000, node, honest);
    assertEquals(EndpointState.BROKEN, late.state());
    late.close();
    node.accepting = true;
    Node.pass(100, node, honest);
  }

  @Test
  void delayedMessagesToStrangersLeaveRoomForOthers() {
    fabric.fate = packet -> packet.to().toString().startsWith("victim") ? Fate.STUCK : Fate.DELIVER;
    Node besieged = new Node(fabric);
    EndpointAddress at = EndpointAddress.of("besieged");
    besieged.listen(at);
    Endpoint before = honest.connect(at, 10_000);
    Node.until(() -> before.state() == EndpointState.CONNECTED, besieged, honest);
    for (int i = 0; i < 1_000; i++) {
      new RawPeer(besieged, at).request(EndpointAddress.of("victim-" + i));
    }
    Node.pass(100, besieged);
    assertTrue(fabric.endpoints.get(at).peers.size() <= SharedEndpoint.MOST_UNPROVEN + 1);
    Endpoint own = besieged.connect(AT, 10_000);
    Node.until(() -> own.state() == EndpointState.CONNECTED, besieged, node);
    before.close();
    Node.until(() -> besieged.disconnected.contains(besieged.accepted.getFirst()), besieged, honest);
    own.close();
    Node.pass(10, node, honest);
    fabric.fate = packet -> Fate.DELIVER;
  }

  @Test
  void aRequestOutlivesTheEndpointThatItCameTo() {
    Node relieved = new Node(fabric);
    EndpointAddress at = EndpointAddress.of("relieved");
    relieved.listen(at);
    relieved.accepting = false;
    Endpoint stuck = relieved.connect(AT, 10_000);
    Node.until(() -> stuck.state() == EndpointState.CONNECTED, relieved, node);
    fabric.fate = packet -> packet.from().localAddress().equals(at) && packet.type() == MessageType.DATA ? Fate.STUCK : Fate.DELIVER;
    int posted = 0;
    while (relieved.send(stuck, posted) == 0) {
      posted++;
    }
    RawPeer first = new RawPeer(relieved, at);
    first.send(MessageType.REQ);
    RawPeer second = new RawPeer(relieved, at);
    second.send(MessageType.REQ);
    stuck.peerDead("says a test");
    stuck.close();
    int opened = fabric.opened;
    Node.until(() -> fabric.opened > opened, relieved, node);
    Endpoint accepted = relieved.requests.get(1).createEndpoint(relieved.queue, relieved.options(), relieved);
    relieved.requests.get(1).accept(new byte[0]);
    relieved.requests.get(0).reject(new byte[0]);
    Node.pass(10, relieved, node);
    assertEquals(List.of(MessageType.REJ), first.take());
    assertEquals(List.of(MessageType.REP), second.take());
    second.send(MessageType.RTU);
    assertEquals(EndpointState.CONNECTED, accepted.state());
  }
}
