package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connects of two queues that share memory: through their ring, otherwise by the listener's socket. */
class ConnectThroughRingsTest {
  private final Domain domain = ShmDeviceTest.device().open();
  private Side a;
  private Side b;
  private Listener listener;
  private Consumer<ConnectionRequest> answer;
  private ConnectionRequest request;

  @BeforeEach
  void listen() {
    a = new Side(domain, new PairOptions());
    b = new Side(domain, new PairOptions());
    answer = b::accept;
    listener = b.listen(null, wanted -> {
      request = wanted;
      answer.accept(wanted);
    });
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    domain.close();
  }

  private void accept(ConnectionRequest wanted) {
    request = wanted;
    b.accept(wanted);
  }

  private int poll() {
    return a.poll() + b.poll();
  }

  private String state() {
    return a + " " + b;
  }

  private boolean connectsThroughTheRing(EndpointAddress to) {
    a.connected.clear();
    b.connected.clear();
    a.connect(to);
    Await.until("connected", () -> !a.connected.isEmpty() && !b.connected.isEmpty(), this::poll, this::state);
    return ((ShmRequest) request).socket == null;
  }

  private QueueLink between() {
    return ((ShmEndpoint) a.endpoint).link();
  }

  @Test
  void onlyFirstConnectToListenerNeedsSocket() {
    assertEquals(false, connectsThroughTheRing(listener.localAddress()));
    QueueLink link = between();
    for (int i = 0; i < 3; i++) {
      a.endpoint.close();
      assertEquals(true, connectsThroughTheRing(listener.localAddress()));
      assertSame(link, between());
    }
  }

  @Test
  void severalListenersOfAQueueAreAskedThroughItsRing() {
    List<EndpointAddress> listeners = new ArrayList<>(List.of(listener.localAddress()));
    for (int i = 0; i < 2; i++) {
      listeners.add(b.listen(null, this::accept).localAddress());
    }
    share();
    listeners.forEach(this::connectsThroughTheRing);
    int throughTheRing = 0;
    for (int i = 0; i < 12; i++) {
      throughTheRing += connectsThroughTheRing(listeners.get(i % listeners.size())) ? 1 : 0;
      a.endpoint.close();
    }
    assertEquals(12, throughTheRing);
  }

  @Test
  void lastAcceptorsAreRemembered() {
    share();
    List<EndpointAddress> listeners = new ArrayList<>();
    for (int i = 0; i <= QueueLink.MOST_LISTENERS; i++) {
      listeners.add(b.listen(null, this::accept).localAddress());
      connectsThroughTheRing(listeners.getLast());
      a.endpoint.close();
    }
    assertEquals(false, connectsThroughTheRing(listeners.getFirst()));
    assertEquals(true, connectsThroughTheRing(listeners.getLast()));
  }

  private void share() {
    connectsThroughTheRing(listener.localAddress());
    connectsThroughTheRing(listener.localAddress());
  }

  @Test
  void aRejectionSaysWhy() {
    share();
    answer = wanted -> wanted.reject(new byte[] {1, 2, 3});
    a.connect(listener.localAddress());
    Await.until("rejected", () -> a.cause != null, this::poll, this::state);
    assertEquals(Reason.REJECTED, a.cause.reason());
    assertArrayEquals(new byte[] {1, 2, 3}, a.cause.privateData());
    assertNull(((ShmRequest) request).socket);
  }

  @Test
  void closedListenerIsSearchedByItsName() {
    EndpointAddress name = EndpointAddress.of("lane-" + ProcessHandle.current().pid());
    Listener first = b.listen(name, this::accept);
    connectsThroughTheRing(name);
    connectsThroughTheRing(name);
    first.close();
    b.listen(name, this::accept);
    assertEquals(false, connectsThroughTheRing(name));
    assertEquals(true, connectsThroughTheRing(name));
  }

  @Test
  void connectToAClosedListenerIsRefused() {
    share();
    EndpointAddress address = listener.localAddress();
    listener.close();
    a.connect(address);
    Await.until("refused", () -> a.cause != null, this::poll, this::state);
    assertEquals(Reason.REFUSED, a.cause.reason());
  }

  @Test
  void whenTheLinkEndsTheListenerIsAskedByItsSocket() {
    share();
    answer = wanted -> answer = b::accept;
    request = null;
    a.connected.clear();
    a.connect(listener.localAddress());
    Await.until("asked", () -> request != null, this::poll, this::state);
    ((ShmEndpoint) b.endpoint).link().close();
    Await.until("connected", () -> !a.connected.isEmpty(), this::poll, this::state);
    assertNotNull(((ShmRequest) request).socket);
  }

  @Test
  void connectThatTimedOutIsNotConnected() {
    share();
    answer = wanted -> {};
    request = null;
    a.connect(listener.localAddress());
    Await.until("asked", () -> request != null, this::poll, this::state);
    a.endpoint.close();
    b.disconnected.clear();
    b.accept(request);
    Await.until("told", () -> !b.disconnected.isEmpty(), this::poll, this::state);
    assertEquals(Reason.DISCONNECTED, b.endpoint.failure().reason());
  }

  @Test
  void aListenerThatMayAnswerElsewhereIsAskedByItsSocket() {
    try (Listener other = domain.listen(b.queue(), null, b.endpointOptions(), this::accept)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(false, connectsThroughTheRing(other.localAddress()));
      }
    }
  }

  @Test
  void listenerThatPromisedAnswersIsHeldToIt() {
    share();
    answer = wanted -> {};
    request = null;
    a.connect(listener.localAddress());
    Await.until("asked", () -> request != null, this::poll, this::state);
    CompletionQueue other = domain.createCompletionQueue(64);
    assertThrows(IllegalStateException.class, () -> request.createEndpoint(other, b.endpointOptions(), b));
    other.close();
    request.reject(new byte[0]);
  }

  /** Any peer of a process can learn the number of its connection. */
  @Test
  void acceptanceByAnotherProcessIsIgnored() {
    share();
    try (Side asked = new Side(domain, new PairOptions())) {
      EndpointAddress address = asked.listenAndAccept().localAddress();
      a.connected.clear();
      a.connect(address);
      String own = a.endpoint.localAddress().toString();
      int number = Integer.parseUnsignedInt(own.substring(own.lastIndexOf('-') + 1), 16);
      RingOutput output = ((ShmEndpoint) b.endpoint).link().output;
      assertTrue(output.sendConnection(Record.ACCEPT, number, 1, 7, 0, new byte[0]));
      Await.until("it is read", output.writer()::isRead, a::poll, this::state);
      assertEquals(EndpointState.CONNECTING, a.endpoint.state());
      assertNull(((ShmQueue) a.queue()).connectedTo(address));
      Await.until("the one that was asked answers", () -> !a.connected.isEmpty(), () -> poll() + asked.poll(), this::state);
    }
  }

  @Test
  void connectsOfBothDirectionsShareOneLink() {
    Listener other = a.listenAndAccept();
    connectsThroughTheRing(listener.localAddress());
    QueueLink link = between();
    b.connected.clear();
    b.connect(other.localAddress());
    Await.until("connected", () -> !b.connected.isEmpty(), this::poll, this::state);
    assertSame(((ShmEndpoint) a.endpoint).link(), link);
    assertEquals(1, ((ShmQueue) a.queue()).links());
    assertEquals(1, ((ShmQueue) b.queue()).links());
    other.close();
  }

  /** Connects as a process that has learned the id of a queue, as every peer of it does. */
  private DescriptorSocket claim(ShmQueue claimed, Side to, Listener at) {
    DescriptorSocket thief = new DescriptorSocket(SystemCalls.socket());
    assertEquals(0, SystemCalls.connect(thief.fd, ((ShmDomain) domain).folder().socket(at.localAddress())));
    thief.send(SocketMessages.connect(claimed.id(0), claimed.id(1)));
    Await.until("accepted", () -> !to.connected.isEmpty(), this::poll, this::state);
    to.connected.clear();
    return thief;
  }

  @Test
  void requestIsNotAnsweredThroughRingOfProcessThatClaimsItsQueue() {
    DescriptorSocket thief = claim((ShmQueue) a.queue(), b, listener);
    try {
      assertEquals(false, connectsThroughTheRing(listener.localAddress()));
      assertEquals(2, ((ShmQueue) b.queue()).links());
    } finally {
      thief.close();
    }
  }

  /** Any process may name a listener after a queue, but only the queue's process knows the key. */
  @Test
  void answersOfProcessThatClaimsListenersQueueDoNotCount() {
    Listener own = a.listenAndAccept();
    DescriptorSocket thief = claim((ShmQueue) b.queue(), a, own);
    AnonymousFile page = AnonymousFile.create(AnonymousFile.PAGE, false);
    RingFile ring = new RingFile(Ring.SMALLEST);
    try {
      thief.send(SocketMessage.of(SocketMessage.JOIN, page, ring.file));
      answer = wanted -> {};
      a.connect(listener.localAddress());
      Await.until("asked", () -> request != null, this::poll, this::state);
      String local = a.endpoint.localAddress().toString();
      int number = Integer.parseUnsignedInt(local.substring(local.lastIndexOf('-') + 1), 16);
      write(ring.writer, Record.REJECT, number, Record.HEADER);
      write(ring.writer, Record.ASK_BY_SOCKET, number, Record.HEADER);
      write(ring.writer, Record.ACCEPT, number, Record.CONNECTION);
      Await.until("read", ring.writer::isRead, a::poll, this::state);
      assertEquals(EndpointState.CONNECTING, a.endpoint.state());
      b.accept(request);
      Await.until("connected", () -> !a.connected.isEmpty(), this::poll, this::state);
    } finally {
      thief.close();
      ring.close();
      page.unmap();
      page.release();
      own.close();
    }
  }

  private static void write(RingWriter into, int type, int to, int length) {
    long at = into.claim(length);
    Ring.INT.set(into.memory, at + Record.TYPE, type);
    Ring.INT.set(into.memory, at + Record.TO, to);
    into.publish(at, length);
  }

  @Test
  void acceptanceOfQueueThatWasNotAskedDoesNotCountWithRightToken() {
    connectsThroughTheRing(listener.localAddress());
    try (Side asked = new Side(domain, new PairOptions())) {
      ConnectionRequest[] wanted = {null};
      Listener other = asked.listen(null, each -> wanted[0] = each);
      a.connected.clear();
      a.connect(other.localAddress());
      Await.until("asked", () -> wanted[0] != null, () -> poll() + asked.poll(), this::state);
      ShmRequest seen = (ShmRequest) wanted[0];
      RingOutput output = ((ShmEndpoint) b.endpoint).link().output;
      assertTrue(output.sendConnection(Record.ACCEPT, seen.connector.number(), 1, 7, seen.connector.token(), new byte[0]));
      Await.until("read", output.writer()::isRead, a::poll, this::state);
      assertEquals(EndpointState.CONNECTING, a.endpoint.state());
      asked.accept(wanted[0]);
      Await.until("connected", () -> !a.connected.isEmpty(), () -> poll() + asked.poll(), this::state);
    }
  }

  @Test
  void proofIsOfOneKeyTokenAndListener() {
    LinkKey key = LinkKey.random();
    EndpointAddress here = EndpointAddress.of("1-2-3");
    assertTrue(key.isProvenBy(key.prove(7, here), 7, here));
    assertFalse(key.isProvenBy(key.prove(7, here), 8, here));
    assertFalse(key.isProvenBy(key.prove(7, here), 7, EndpointAddress.of("1-2-4")));
    assertFalse(key.isProvenBy(LinkKey.random().prove(7, here), 7, here));
    assertFalse(key.isProvenBy(LinkKey.nothing(), 7, here));
  }

  /** The accepting queue has not noticed that the link ended: an acceptance through its ring would not be read. */
  @Test
  void peerThatReconnectsAtOnceIsAnswered() {
    try (Side c = new Side(domain, new PairOptions());
      Listener other = domain.listen(b.queue(), null, b.endpointOptions(), c::accept)) {
      a.connect(other.localAddress());
      Await.until("connected", () -> !a.connected.isEmpty() && !c.connected.isEmpty(), () -> poll() + c.poll(), this::state);
      QueueLink former = between();
      a.endpoint.close();
      former.close();
      a.connected.clear();
      a.connect(other.localAddress());
      Await.until("asked and answered", () -> c.requests.size() == 2, this::poll, this::state);
      Await.until("connected again", () -> !a.connected.isEmpty(), () -> poll() + c.poll(), this::state);
      assertNotSame(former, between());
    }
  }
}
