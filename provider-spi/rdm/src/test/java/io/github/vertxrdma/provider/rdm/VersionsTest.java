package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers of other versions of the protocol: the highest common one is used, and without one the error names those of both sides. */
@Timeout(60)
class VersionsTest {
  private static final EndpointAddress AT = EndpointAddress.of("node");
  private static final VersionRange OWN = ControlMessage.VERSIONS;
  private static final VersionRange WIDER = new VersionRange(OWN.lowest() - 1, OWN.highest() + 4);
  private static final VersionRange LATER = new VersionRange(OWN.highest() + 1, OWN.highest() + 4);

  private final Node node = new Node(new FakeFabric());
  private final RawPeer peer = new RawPeer(node, AT);

  @Test
  void acceptorChoosesTheHighestCommonVersion() {
    node.listen(AT);
    peer.request(WIDER, peer.address);
    assertEquals(List.of(MessageType.REP), peer.take());
    assertEquals(VersionRange.only(OWN.highest()), peer.versions);
    peer.data(0);
    assertEquals(EndpointState.CONNECTED, peer.end().state());
    assertEquals(1, node.numbers.size());
  }

  @Test
  void messageOfAnotherVersionThanTheConnectionsIsDropped() {
    node.listen(AT);
    peer.established();
    byte[] bytes = ByteBuffer.allocate(RdmLayer.PREFIX + 8).putLong(peer.connection)
      .putLong(ControlMessage.dataWord(OWN.highest() + 1, peer.tag, 0)).array();
    peer.send(bytes);
    assertEquals(0, node.numbers.size());
    peer.data(0);
    assertEquals(1, node.numbers.size());
  }

  @Test
  void acceptorWithoutACommonVersionRefusesAndNamesItsOwn() {
    node.listen(AT);
    peer.request(LATER, peer.address);
    assertEquals(List.of(MessageType.REFUSE), peer.take());
    assertEquals(OWN, peer.versions);
    assertEquals(List.of(), node.accepted);
  }

  @Test
  void connectorWithoutACommonVersionNamesBoth() {
    Endpoint end = node.connect(peer.address, 10_000);
    RawPeer acceptor = peer;
    assertEquals(List.of(MessageType.REQ), acceptor.take());
    assertEquals(OWN, acceptor.versions);
    node.fabric.endpoints.get(end.localAddress()).inject(new ControlMessage(MessageType.REFUSE, LATER, acceptor.connection, acceptor.tag, 0,
      1, 0, null, new byte[0]).encode());
    acceptor.settle();
    assertEquals(Reason.REFUSED, end.failure().reason());
    String message = end.failure().getMessage();
    assertTrue(message.endsWith("the peer has " + LATER + " of the protocol of connectionless endpoints, and this node has " + OWN
      + ". Upgrade the node with the older vertx-rdma"), message);
  }
}
