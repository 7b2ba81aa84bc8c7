package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.FakeFabric.Fate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RawEndpointTest {
  private static final EndpointAddress B = EndpointAddress.of("b");

  private final FakeFabric fabric = new FakeFabric();
  private final Node a = new Node(fabric);
  private final Node b = new Node(fabric);

  private Endpoint connect() {
    return a.connect(b, B);
  }

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
