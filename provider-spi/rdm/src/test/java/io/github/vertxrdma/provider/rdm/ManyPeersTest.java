package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As many peers as a large cluster has, on one raw endpoint, in simulated time. */
@Timeout(120)
class ManyPeersTest {
  private static final int PEERS = 10_000;
  private static final int PATIENCE_MILLIS = 20_000;
  private static final EndpointAddress HERE = EndpointAddress.of("here");

  private final FakeFabric fabric = new FakeFabric();
  private final Node node = new Node(fabric);
  private final List<RawPeer> peers = new ArrayList<>();

  @BeforeEach
  void listen() {
    node.domain.listen(node.queue, HERE, node.options().withConnectTimeoutMillis(PATIENCE_MILLIS), request -> {
      node.accepted.add(request.createEndpoint(node.queue, node.options(), node));
      request.accept(new byte[0]);
    });
    for (int i = 0; i < PEERS; i++) {
      peers.add(new RawPeer(node, HERE));
    }
  }

  private ConnectedQueue queue() {
    return (ConnectedQueue) node.queue;
  }

  /** Checks that messages from and to each peer arrive at their endpoint, and that ended connections leave nothing. */
  private void assertAllTalk() {
    assertEquals(PEERS, node.connected.size());
    peers.forEach(peer -> peer.data(0));
    assertEquals(PEERS, node.numbers.size());
    assertEquals(new HashSet<>(node.accepted), new HashSet<>(node.numbers.stream().map(Node.Number::from).toList()));
    for (Endpoint endpoint : node.accepted) {
      node.send(endpoint, 7);
      node.poll();
    }
    peers.forEach(peer -> assertEquals(List.of(MessageType.DATA), peer.take()));
    node.accepted.forEach(Endpoint::close);
    Node.until(() -> queue().connections.size == 0, node);
    assertEquals(0, queue().connections.awaited.size());
  }

  @Test
  void peersThatConnectOneByOneAreAcceptedAtOnce() {
    for (RawPeer peer : peers) {
      Node.pass(1, node);
      peer.established();
    }
    assertEquals(0, queue().deferred);
    assertAllTalk();
  }

  /**
   * Requests of more than {@link SharedEndpoint#MOST_UNPROVEN} addresses are admitted at {@link SharedEndpoint#UNPROVEN_RATE}. A thousand
   * need a second.
   */
  @Test
  void peersThatConnectAtOnceAreAcceptedInTurn() {
    peers.forEach(peer -> peer.send(MessageType.REQ));
    int answered = 0;
    for (int millis = 0; answered < PEERS; millis++) {
      Node.pass(1, node);
      for (RawPeer peer : peers) {
        if (peer.hasMail() && peer.take().contains(MessageType.REP)) {
          answered++;
          peer.send(MessageType.RTU);
        }
      }
      assertTrue(millis < PATIENCE_MILLIS, answered + " were answered in time");
    }
    peers.forEach(RawPeer::take);
    assertAllTalk();
  }
}
