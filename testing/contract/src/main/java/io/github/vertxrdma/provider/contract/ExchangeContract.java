package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import org.junit.jupiter.api.Assumptions;

public interface ExchangeContract extends ContractFixture {

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
      assertEquals(Status.OK, pair.left().post(
        new WorkRequest().read(own, 0, 4096, pair.a.remote(peers), 0).id(-1).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, -1);
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
