package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

public interface ConnectionContract extends ContractFixture {
  /** Possible failures of a connect without a listener. */
  Set<ProviderException.Reason> NOBODY = EnumSet.of(ProviderException.Reason.REFUSED, ProviderException.Reason.UNREACHABLE,
    ProviderException.Reason.TIMEOUT);

  @ContractTest
  default void connectNotifiesBothHandlers(Pair pair) {
    assertEquals(EndpointState.CONNECTED, pair.left().state());
    assertEquals(EndpointState.CONNECTED, pair.right().state());
    assertSame(pair.left(), pair.a.connected.getFirst());
    assertSame(pair.right(), pair.b.connected.getFirst());
    assertEquals(0, pair.a.connectedData.length);
    assertEquals(0, pair.b.connectedData.length);
    assertNull(pair.left().failure());
    assertSame(pair.a.queue(), pair.left().completionQueue());
    assertNotNull(pair.left().localAddress());
    assertNotNull(pair.left().remoteAddress());
    assertNotNull(pair.right().localAddress());
    assertNotNull(pair.right().remoteAddress());
    assertTrue(pair.left().sendDepth() > 0 && pair.left().readsInFlight() > 0);
  }

  @ContractTest
  default void addressesAreKnownWhenItIsClosed(Pair pair) {
    pair.left().close();
    assertNotNull(pair.left().localAddress());
    assertNotNull(pair.left().remoteAddress());
  }

  @ContractTest
  default void connectsBetweenTwoDomains() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains())) {
      pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 100), PostFlags.SIGNALED));
      Pattern.check(pair.message(pair.b).data(), 100, 1);
    }
  }

  @ContractTest
  default void privateDataOfEveryLengthArrives() {
    int max = device().limits().privateData();
    for (int length : new int[] {0, 1, 20, max}) {
      byte[] connect = Pattern.bytes(length, length);
      byte[] accept = Pattern.bytes(length + 1, length);
      try (Pair pair = Pair.connected(device(), new PairOptions().withPrivateData(connect, accept))) {
        assertArrayEquals(connect, pair.b.requests.getFirst().privateData());
        assertArrayEquals(accept, pair.a.connectedData);
        assertNotNull(pair.b.requests.getFirst().remoteAddress());
      }
    }
  }

  @ContractTest
  default void privateDataThatIsTooLongIsRefused(@LeakCheck.Unconnected Pair pair) {
    byte[] tooLong = new byte[device().limits().privateData() + 1];
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    Endpoint endpoint = pair.a.createEndpoint();
    assertFails(ProviderException.Reason.INVALID, () -> endpoint.connect(listener.localAddress(), tooLong));
    pair.a.connect(listener.localAddress());
    pair.until("a request", () -> !pair.b.requests.isEmpty());
    ConnectionRequest request = pair.b.requests.getFirst();
    assertFails(ProviderException.Reason.INVALID, () -> request.reject(tooLong));
    Endpoint accepting = request.createEndpoint(pair.b.queue(), pair.b.endpointOptions(), pair.b);
    assertFails(ProviderException.Reason.INVALID, () -> request.accept(tooLong));
    request.accept(new byte[0]);
    pair.until("still connected", () -> pair.a.connected.size() == 1 && pair.b.connected.size() == 1);
    accepting.close();
  }

  @ContractTest
  default void rejectCarriesPrivateData(@LeakCheck.Unconnected Pair pair) {
    byte[] reason = Pattern.bytes(7, device().limits().privateData());
    Listener listener = pair.b.listen(null, request -> request.reject(reason));
    pair.a.connect(listener.localAddress());
    pair.until("the reject", () -> !pair.a.disconnected.isEmpty());
    assertEquals(ProviderException.Reason.REJECTED, pair.a.cause.reason(), pair.a.cause.getMessage());
    assertArrayEquals(reason, pair.a.cause.privateData());
    assertEquals(EndpointState.BROKEN, pair.left().state());
    assertSame(pair.a.cause, pair.left().failure());
  }

  @ContractTest
  default void requestCanBeAnsweredLaterButOnlyOnce(@LeakCheck.Unconnected Pair pair) {
    ConnectionRequest request = pair.request();
    pair.poll(1000);
    assertEquals(EndpointState.CONNECTING, pair.left().state());
    assertMisuse(() -> request.accept(new byte[0]));
    pair.b.accept(request);
    assertMisuse(() -> request.accept(new byte[0]));
    assertMisuse(() -> request.reject(new byte[0]));
    pair.until("connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
  }

  @ContractTest
  default void acceptWithClosedEndpointFailsAndRequestCanBeRejected(@LeakCheck.Unconnected Pair pair) {
    ConnectionRequest request = pair.request();
    Endpoint gone = request.createEndpoint(pair.b.queue(), pair.b.endpointOptions(), pair.b);
    gone.close();
    assertMisuse(() -> request.accept(new byte[0]));
    assertEquals(EndpointState.CLOSED, gone.state());
    request.reject(new byte[0]);
    pair.until("the connector is notified of it", () -> !pair.a.disconnected.isEmpty());
    assertTrue(pair.a.connected.isEmpty() && pair.b.connected.isEmpty());
  }

  @ContractTest
  default void closedEndpointIsNotNotifiedOfItsConnection(@LeakCheck.Unconnected Pair pair) {
    Endpoint accepting = pair.b.accept(pair.request());
    int notified = pair.b.connected.size();
    accepting.close();
    pair.until("the connector is notified of the end", () -> !pair.a.disconnected.isEmpty());
    assertEquals(notified, pair.b.connected.size(), "a closed endpoint was notified");
    assertTrue(pair.b.disconnected.isEmpty(), "a closed endpoint was notified");
  }

  private static void assertMisuse(Executable call) {
    RuntimeException refused = assertThrows(RuntimeException.class, call);
    assertTrue(refused instanceof IllegalStateException
      || refused instanceof ProviderException e && e.reason() == ProviderException.Reason.INVALID, refused.toString());
  }

  @ContractTest
  default void connectFailsWithoutListener() {
    try (Pair pair = Pair.open(device(), shortTimeout())) {
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      EndpointAddress address = listener.localAddress();
      listener.close();
      listener.close();
      try {
        pair.a.connect(address);
      } catch (ProviderException e) {
        assertTrue(NOBODY.contains(e.reason()), e.getMessage());
        return;
      }
      pair.until("the failure", () -> !pair.a.disconnected.isEmpty());
      assertTrue(NOBODY.contains(pair.a.cause.reason()), pair.a.cause.reason() + " " + pair.a.cause.getMessage());
      assertEquals(EndpointState.BROKEN, pair.left().state());
      assertTrue(pair.a.connected.isEmpty() && pair.b.requests.isEmpty());
    }
  }

  @ContractTest
  default void connectTimesOutWhenListenerDoesNotAnswer() {
    try (Pair pair = Pair.open(device(), shortTimeout())) {
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      pair.a.connect(listener.localAddress());
      pair.until("the timeout", () -> !pair.a.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.TIMEOUT, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(EndpointState.BROKEN, pair.left().state());
    }
  }

  private static PairOptions shortTimeout() {
    return new PairOptions().withEndpoint(new EndpointOptions().withConnectTimeoutMillis(500));
  }

  @ContractTest
  default void listenerCloseRejectsUnansweredRequests(@LeakCheck.Unconnected Pair pair) {
    pair.request();
    pair.listener().close();
    pair.until("the reject", () -> !pair.a.disconnected.isEmpty());
    assertTrue(EnumSet.of(ProviderException.Reason.REJECTED, ProviderException.Reason.REFUSED, ProviderException.Reason.DISCONNECTED)
      .contains(pair.a.cause.reason()), pair.a.cause.getMessage());
  }

  @ContractTest
  default void listenerCloseRejectsUndeliveredRequests(@LeakCheck.Unconnected Pair pair) {
    int count = 4;
    Listener[] listener = new Listener[1];
    listener[0] = pair.b.listen(null, request -> {
      pair.b.requests.add(request);
      listener[0].close();
    });
    for (int i = 0; i < count; i++) {
      pair.a.connect(listener[0].localAddress());
    }
    for (int i = 0; i < 100; i++) {
      pair.a.poll();
    }
    pair.until("the rejects", () -> pair.a.disconnected.size() == count);
    assertEquals(1, pair.b.requests.size());
    assertTrue(pair.a.connected.isEmpty());
  }

  @ContractTest
  default void aPortInUseIsNamed(@LeakCheck.Unconnected Pair pair) {
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    ProviderException refused = assertFails(ProviderException.Reason.ADDRESS_IN_USE,
      () -> pair.a.listen(listener.localAddress(), pair.a.requests::add));
    assertTrue(refused.getMessage().contains(listener.localAddress().toString()), refused.getMessage());
  }

  @ContractTest
  default void listenerKeepsItsChosenName() {
    String given;
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      EndpointAddress any = pair.b.listen(null, pair.b.requests::add).localAddress();
      if (!any.format().equals(EndpointAddress.STRING)) {
        return;
      }
      given = any.toString();
    }
    String scheme = given.substring(0, given.lastIndexOf('/') + 1);
    EndpointAddress name = EndpointAddress.of(scheme + "chosen-" + ProcessHandle.current().pid() + '-' + System.nanoTime());
    for (int i = 0; i < 2; i++) {
      try (Pair pair = Pair.open(device(), new PairOptions())) {
        pair.b.listen(name, pair.b::accept);
        try (Pair other = Pair.open(device(), new PairOptions())) {
          ProviderException refused = assertFails(ProviderException.Reason.ADDRESS_IN_USE,
            () -> other.b.listen(name, other.b.requests::add));
          assertTrue(refused.getMessage().contains(name.toString().substring(scheme.length())), refused.getMessage());
        }
        pair.a.connect(name);
        pair.until("connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
      }
    }
  }

  @ContractTest
  default void listenFailsOnAddressOfAnotherHost(@LeakCheck.Unconnected Pair pair) {
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    if (!listener.localAddress().format().equals(EndpointAddress.INET)) {
      return;
    }
    assertFails(ProviderException.Reason.UNREACHABLE,
      () -> pair.a.listen(EndpointAddress.of(new InetSocketAddress("203.0.113.77", 0)), pair.a.requests::add));
  }

  @ContractTest
  default void acceptedEndpointsOutliveTheListener(Pair pair) {
    pair.listener().close();
    pair.success(pair.b, pair.b.send(pair.right(), Pattern.bytes(3, 64), PostFlags.SIGNALED));
    Pattern.check(pair.message(pair.a).data(), 64, 3);
  }

  @ContractTest
  default void connectIsForNewEndpointsOnly(Pair pair) {
    assertThrows(IllegalStateException.class, () -> pair.left().connect(pair.listener().localAddress(), new byte[0]));
    pair.left().close();
    assertThrows(IllegalStateException.class, () -> pair.left().connect(pair.listener().localAddress(), new byte[0]));
  }

  @ContractTest
  default void listenerWorksAfterConnectorCloses() {
    // The acceptor may wait this long if it is not notified of the connector's close.
    int timeout = (int) Math.max(1000, Await.patienceMillis() / 4);
    try (Pair pair = Pair.open(device(), new PairOptions().withEndpoint(new EndpointOptions().withConnectTimeoutMillis(timeout)))) {
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      Endpoint gone = pair.a.connect(listener.localAddress());
      pair.until("a request", () -> !pair.b.requests.isEmpty());
      gone.close();
      assertEquals(EndpointState.CLOSED, gone.state());
      pair.poll();
      try {
        Endpoint accepting = pair.b.accept(pair.b.requests.getFirst());
        pair.until("the acceptor is notified of it", () -> pair.b.disconnected.contains(accepting));
      } catch (ProviderException e) {
        assertFalse(e.getMessage().isBlank());
      }
      pair.b.requests.clear();
      pair.a.connect(listener.localAddress());
      pair.until("the next request", () -> !pair.b.requests.isEmpty());
      pair.b.accept(pair.b.requests.getFirst());
      pair.until("connected", () -> pair.a.connected.contains(pair.left()) && pair.b.connected.contains(pair.right()));
    }
  }

  @ContractTest
  default void bothSidesMayListenAndConnect(Pair pair) {
    Listener other = pair.a.listenAndAccept();
    pair.b.connect(other.localAddress());
    pair.until("the other way round", () -> pair.a.connected.size() == 2 && pair.b.connected.size() == 2);
    pair.success(pair.b, pair.b.send(pair.right(), Pattern.bytes(9, 10), PostFlags.SIGNALED));
    Pattern.check(pair.message(pair.a).data(), 10, 9);
  }

  private Pair pair(PairOptions options) {
    Assumptions.assumeTrue(found().connectsBy(Connecting.EXCHANGE),
      "the device connects to listeners only, not by an exchange of addresses");
    return Pair.open(device(), options);
  }

  private static PairOptions within(int millis) {
    return new PairOptions().withEndpoint(new EndpointOptions().withConnectTimeoutMillis(millis));
  }

  @ContractTest
  default void exchangeIsRefusedWhenDeviceLacksIt() {
    try (Domain domain = device().open(); CompletionQueue queue = domain.createCompletionQueue(64)) {
      assertTrue(device().capabilities().connecting().containsAll(domain.capabilities().connecting()), "found more than was advertised");
      if (!domain.capabilities().connectsBy(Connecting.EXCHANGE)) {
        ProviderException refused = assertFails(ProviderException.Reason.UNSUPPORTED,
          () -> domain.createExchangedEndpoint(queue, new EndpointOptions(), null));
        assertTrue(refused.getMessage().contains(device().name()), refused.getMessage());
      }
    }
  }

  @ContractTest
  default void bothSidesConnectAndMessagesGoBothWays() {
    try (Pair pair = pair(within(60_000).withTwoDomains())) {
      pair.exchange();
      assertEquals(EndpointState.CONNECTED, pair.left().state());
      assertEquals(EndpointState.CONNECTED, pair.right().state());
      assertEquals(0, pair.a.connectedData.length);
      assertEquals(pair.left().localAddress(), pair.right().remoteAddress());
      assertEquals(pair.right().localAddress(), pair.left().remoteAddress());
      assertTrue(pair.left().readsInFlight() > 0);
      pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 100), PostFlags.SIGNALED));
      Pattern.check(pair.message(pair.b).data(), 100, 1);
      pair.success(pair.b, pair.b.send(pair.right(), Pattern.bytes(2, 100), PostFlags.SIGNALED));
      Pattern.check(pair.message(pair.a).data(), 100, 2);
    }
  }

  @ContractTest
  default void remoteMemoryWorksOverExchange() {
    try (Pair pair = pair(within(60_000))) {
      pair.exchange();
      MemoryRegion peers = pair.b.openRegion(4096);
      MemoryRegion own = pair.a.openRegion(4096);
      peers.segment().fill((byte) 7);
      pair.success(pair.a, pair.a.post(new WorkRequest().read(own, 0, 4096, pair.a.remote(peers), 0)));
      assertEquals(-1, own.segment().mismatch(peers.segment()));
    }
  }

  @ContractTest
  default void firstEndpointWaitsAndKeepsItsReceives() {
    try (Pair pair = pair(within(60_000))) {
      Endpoint left = pair.a.createExchangedEndpoint();
      Endpoint right = pair.b.createExchangedEndpoint();
      left.connect(right.localAddress(), new byte[0]);
      pair.poll(1000);
      assertEquals(EndpointState.CONNECTING, left.state());
      assertEquals(EndpointState.INIT, right.state());
      Side.assertPost(Status.NOT_CONNECTED, left, new WorkRequest().send(pair.a.region(64), 0, 8));
      right.connect(left.localAddress(), new byte[0]);
      pair.until("connected", () -> pair.a.connected.contains(left) && pair.b.connected.contains(right));
      for (int i = 0; i < 16; i++) {
        pair.success(pair.b, pair.b.send(right, Pattern.bytes(i, 50), PostFlags.SIGNALED));
        Pattern.check(pair.message(pair.a).data(), 50, i);
      }
    }
  }

  @ContractTest
  default void exchangeTimesOutWhenPeerNeverConnects() {
    try (Pair pair = pair(within(700))) {
      Endpoint left = pair.a.createExchangedEndpoint();
      left.connect(pair.b.createExchangedEndpoint().localAddress(), new byte[0]);
      pair.until("the timeout", () -> pair.a.disconnected.contains(left));
      assertEquals(ProviderException.Reason.TIMEOUT, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(EndpointState.BROKEN, left.state());
      assertTrue(pair.a.connected.isEmpty() && pair.b.connected.isEmpty());
    }
  }

  @ContractTest
  default void addressesAreForOneEndpointEach() {
    try (Pair pair = pair(within(60_000))) {
      Endpoint first = pair.a.createExchangedEndpoint();
      Endpoint second = pair.a.createExchangedEndpoint();
      assertNotNull(first.localAddress());
      assertNotEquals(first.localAddress(), second.localAddress());
      first.close();
      assertEquals(EndpointState.CLOSED, first.state());
      assertThrows(IllegalStateException.class, () -> first.connect(second.localAddress(), new byte[0]));
    }
  }

  @ContractTest
  default void invalidExchangeAddressIsRefusedAndEndpointStaysUsable() {
    try (Pair pair = pair(within(60_000))) {
      Endpoint endpoint = pair.a.createExchangedEndpoint();
      EndpointAddress peers = pair.b.createExchangedEndpoint().localAddress();
      assertFails(ProviderException.Reason.INVALID, () -> endpoint.connect(EndpointAddress.of("elsewhere"), new byte[0]));
      assertFails(ProviderException.Reason.UNSUPPORTED, () -> endpoint.connect(peers, new byte[] {1}));
      assertEquals(EndpointState.INIT, endpoint.state());
      assertFalse(pair.a.disconnected.contains(endpoint));
    }
  }

  @ContractTest
  default void postDetectsTheEndOfThePeer() {
    try (Pair pair = pair(within(5_000))) {
      pair.exchange();
      pair.right().close();
      pair.poll(100);
      MemoryRegion memory = pair.a.region(64);
      pair.until("a post fails", () -> {
        pair.left().post(new WorkRequest().send(memory, 0, 8).id(1).flags(PostFlags.SIGNALED));
        return pair.a.disconnected.contains(pair.left());
      });
      assertEquals(EndpointState.BROKEN, pair.left().state());
    }
  }
}
