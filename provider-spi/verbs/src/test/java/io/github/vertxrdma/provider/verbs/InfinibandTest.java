package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class InfinibandTest {
  private static final byte[] NONE = {};
  private static final String PORT = "ib";
  private static final String FUNCTION = Nic.WITHOUT_ADDRESS;

  @BeforeEach
  void devices() {
    Nic.use(PORT, FUNCTION);
  }

  @AfterEach
  void restore() {
    Nic.built().restore(PORT);
    Nic.built().restore(FUNCTION);
  }

  private static VerbsDevice device(String name) {
    try {
      return (VerbsDevice) Devices.require(new VerbsProvider(), "verbs:" + name);
    } catch (TestAbortedException e) {
      throw new AssertionError("the device is refused", e);
    }
  }

  private static void talk(Pair pair) {
    pair.success(pair.a, pair.a.send(pair.left(), new byte[] {1, 2}, PostFlags.SIGNALED));
    assertEquals(2, pair.message(pair.b).data().length);
  }

  @Test
  void fabricIsThatOfTheSubnetPrefix() {
    assertEquals("verbs-ib:fe80000000000000", device(PORT).fabric());
    Nic.built().change(PORT, "prefix", "0xfec0000000000001");
    assertEquals("verbs-ib:fec0000000000001", device(PORT).fabric());
  }

  @Test
  void portWithAddressConnectsByListenerAndByExchange() {
    assertEquals(Set.of(Capabilities.Connecting.values()), device(PORT).capabilities().connecting());
    try (Pair pair = Pair.connected(device(PORT))) {
      talk(pair);
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void portWithoutAddressConnectsByExchangeAloneAndSaysSo() {
    assertEquals(Set.of(Capabilities.Connecting.EXCHANGE), device(FUNCTION).capabilities().connecting());
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.device", FUNCTION)));
    assertEquals(Set.of(Capabilities.Connecting.EXCHANGE), found.devices().getFirst().capabilities().connecting(), "named by the user");
    assertTrue(found.unavailable().toString().contains("no IP address (IPoIB)"), found.unavailable()::toString);
    try (Pair pair = Pair.open(device(FUNCTION), new PairOptions())) {
      pair.exchange();
      talk(pair);
    }
  }

  private static void talk(VerbsDevice left, VerbsDevice right) {
    PairOptions options = new PairOptions();
    try (Domain first = left.open(); Domain second = right.open(); Side a = new Side(first, options); Side b = new Side(second, options)) {
      Endpoint from = a.createExchangedEndpoint();
      Endpoint to = b.createExchangedEndpoint();
      from.connect(to.localAddress(), NONE);
      to.connect(from.localAddress(), NONE);
      until("both are connected", a, b, () -> a.connected.contains(from) && b.connected.contains(to));
      a.send(from, new byte[] {1}, PostFlags.SIGNALED);
      b.send(to, new byte[] {2, 2}, PostFlags.SIGNALED);
      until("messages", a, b, () -> !a.messages.isEmpty() && !b.messages.isEmpty());
      assertEquals(List.of(2, 1), List.of(a.messages.poll().data().length, b.messages.poll().data().length));
    }
  }

  private static void until(String what, Side a, Side b, java.util.function.BooleanSupplier condition) {
    Await.until(what, condition, () -> a.poll() + b.poll(), () -> "a: " + a + ' ' + a.cause + "; b: " + b + ' ' + b.cause);
  }

  @Test
  void portTalksToAFunctionThatRequiresGlobalRouteHeaders() {
    talk(device(PORT), device(FUNCTION));
    talk(device(FUNCTION), device(PORT));
  }

  @Test
  void portsOfDifferentSubnetsTalkByGlobalRouteHeaders() {
    Nic.built().change(FUNCTION, "prefix", "0xfec0000000000001");
    Nic.built().change(FUNCTION, "grh", "optional");
    talk(device(PORT), device(FUNCTION));
  }

  @Test
  void connectionsAfterAChangeOfTheLidUseTheNewOne() {
    VerbsDevice found = device(PORT);
    try (Pair pair = Pair.open(found, new PairOptions())) {
      pair.exchange();
      Nic.built().change(PORT, "lid", "0x77");
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void queuePairsPreparedBeforeAChangeOfTheLidAreNotUsed() throws Exception {
    try (Pair pair = Pair.open(device(PORT), new PairOptions())) {
      for (Side side : List.of(pair.a, pair.b)) {
        side.domain().endpointPreparation(side.queue(), side.endpointOptions(), Capabilities.Connecting.EXCHANGE).call();
      }
      Nic.built().change(PORT, "lid", "0x77");
      pair.until("the change is known", () -> !((VerbsDomain) pair.a.domain()).async.portEvent.isEmpty());
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void connectionsAfterAChangeOfTheSubnetPrefixUseTheNewGid() {
    VerbsDevice found = device(FUNCTION);
    try (Pair pair = Pair.open(found, new PairOptions())) {
      Nic.built().change(FUNCTION, "prefix", "0xfec0000000000001");
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void partitionIsOneOfFullMembers() {
    try (Pair pair = Pair.open(device(PORT), new PairOptions())) {
      pair.exchange();
      assertEquals(0xffff, QueuePairAddress.decode(pair.left().localAddress().bytes()).partition());
      talk(pair);
    }
  }

  @Test
  void fullMembershipIsChosenForANamedPartition() {
    VerbsDevice named = (VerbsDevice) Devices.require(List.of(new VerbsProvider()), "verbs:" + PORT, Map.of("verbs.pkey", "1"));
    try (Pair pair = Pair.open(named, new PairOptions())) {
      pair.exchange();
      assertEquals(0x8001, QueuePairAddress.decode(pair.left().localAddress().bytes()).partition());
      talk(pair);
    }
  }

  @Test
  void connectionsAfterAChangeOfThePartitionsUseTheNewIndex() {
    try (Pair pair = Pair.open(device(PORT), new PairOptions())) {
      Nic.built().change(PORT, "partitions", "0,0xffff");
      pair.exchange();
      talk(pair);
      pair.connect();
      talk(pair);
    }
  }

  @Test
  void connectOverAPortThatIsDownNamesTheCause() {
    try (Pair pair = Pair.open(device(PORT), new PairOptions())) {
      Nic.built().port(PORT, false);
      try {
        ProviderException refused = assertThrows(ProviderException.class, pair.a::createExchangedEndpoint);
        assertEquals(ProviderException.Reason.UNREACHABLE, refused.reason());
        assertTrue(refused.getMessage().contains("port 1 is DOWN"), refused.getMessage());
      } finally {
        Nic.built().port(PORT, true);
      }
    }
  }
}
