package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
@Timeout(120)
@ExtendWith(LeakCheck.class)
class VerbsTest {
  private static final byte[] NONE = {};

  @Parameter
  private String name;

  static List<String> names() {
    return TestDevices.names();
  }

  private VerbsDevice device() {
    return (VerbsDevice) Devices.require(new VerbsProvider(), name);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void incompatibleAddressIsRefusedByName() {
    assumeTrue(!device().attributes.iwarp(), "iWARP connects by TCP");
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      QueuePairAddress own = QueuePairAddress.decode(pair.a.createExchangedEndpoint().localAddress().bytes());
      QueuePairAddress partition = new QueuePairAddress(own.link(), false, own.gidType(), own.gid(), own.lid(), own.queuePair(),
        own.packetSequence(), 0x8123, own.mtu(), own.reads());
      ProviderException refused = assertThrows(ProviderException.class,
        () -> pair.left().connect(EndpointAddress.of(QueuePairAddress.FORMAT, partition.encode()), NONE));
      assertTrue(refused.getMessage().contains("0x8123") && refused.getMessage().contains("verbs.pkey"), refused.getMessage());
      assertEquals(ProviderException.Reason.INVALID, assertThrows(ProviderException.class,
        () -> pair.left().connect(EndpointAddress.of(QueuePairAddress.FORMAT, new byte[7]), NONE)).reason());
      assertEquals(EndpointState.INIT, pair.left().state());
    }
  }

  @Test
  void invalidPartitionIsRefusedAndNothingIsLeftOpen() {
    assumeTrue(!device().attributes.iwarp(), "iWARP has no partitions");
    Device device = Devices.require(List.of(new VerbsProvider()), name, Map.of("verbs.pkey", "much"));
    ProviderException refused = assertThrows(ProviderException.class, device::open);
    assertEquals(ProviderException.Reason.INVALID, refused.reason());
    assertTrue(refused.getMessage().contains("verbs.pkey is 'much'"), refused.getMessage());
  }

  @Test
  void withoutConnectionManagerOnlyTheExchangeIsLeft() {
    VerbsDevice with = device();
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.connect", "exchange")));
    if (with.attributes.iwarp()) {
      assertTrue(found.unavailable().stream().anyMatch(u -> u.toString().contains(name) && u.toString().contains("iWARP")),
        found.unavailable().toString());
      return;
    }
    VerbsDevice without = (VerbsDevice) found.devices().stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
    assertEquals(Set.of(Capabilities.Connecting.EXCHANGE), without.capabilities().connecting());
    assertEquals(Set.of(Capabilities.Connecting.values()), with.capabilities().connecting());
    assertEquals(with.gid.toString(), without.gid.toString());
    try (Pair pair = Pair.open(without, new PairOptions())) {
      assertEquals(ProviderException.Reason.MISSING,
        assertThrows(ProviderException.class, () -> pair.b.listen(null, pair.b.requests::add)).reason());
      assertEquals(ProviderException.Reason.MISSING, assertThrows(ProviderException.class, pair.a::createEndpoint).reason());
      pair.exchange();
    }
  }

  /** The device would repeat the first connect only after minutes, since the connect timeout is an hour. */
  @Test
  void firstConnectorIsSoonNotifiedOfTheOther() {
    assumeTrue(!device().attributes.iwarp(), "iWARP connects by TCP");
    PairOptions options = new PairOptions().withEndpoint(new EndpointOptions().withConnectTimeoutMillis((int) TimeUnit.HOURS.toMillis(1)));
    try (Pair pair = Pair.open(device(), options)) {
      Endpoint left = pair.a.createExchangedEndpoint();
      Endpoint right = pair.b.createExchangedEndpoint();
      left.connect(right.localAddress(), NONE);
      right.connect(left.localAddress(), NONE);
      pair.until("both are connected", () -> pair.a.connected.contains(left) && pair.b.connected.contains(right));
      pair.success(pair.a, pair.a.send(left, text("first"), PostFlags.SIGNALED));
      assertEquals("first", new String(pair.message(pair.b).data(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void firstNotifiedSideHasItsWholeSendQueue() {
    assumeTrue(!device().attributes.iwarp(), "iWARP connects by TCP");
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      Endpoint left = pair.a.createExchangedEndpoint();
      Endpoint right = pair.b.createExchangedEndpoint();
      left.connect(right.localAddress(), NONE);
      right.connect(left.localAddress(), NONE);
      Await.until("the other is connected", () -> pair.b.connected.contains(right), pair.b::poll, pair.b::toString);
      pair.b.send(right, text("first"), PostFlags.SIGNALED);
      MemoryRegion memory = pair.a.region(64);
      Await.until("this one is connected", () -> pair.a.connected.contains(left), pair.a::poll, pair.a::toString);
      for (int i = 0; i < left.sendDepth(); i++) {
        assertEquals(Status.OK, left.post(new WorkRequest().send(memory, 0, 8).id(i).flags(PostFlags.SIGNALED)), "post " + i);
      }
      assertEquals(EndpointState.CONNECTED, left.state(), "its completion queue had room for all of them");
    }
  }

  @Test
  void listensAndConnectsByIpv6() {
    VerbsDevice device = device();
    InetAddress address = device.addresses.stream().filter(a -> a instanceof Inet6Address && !a.isLinkLocalAddress()).findFirst()
      .orElse(null);
    assumeTrue(address != null, () -> "no IPv6 address of its own among " + device.addresses);
    try (Pair pair = Pair.open(device, new PairOptions())) {
      Listener listener = pair.b.listen(EndpointAddress.of(new InetSocketAddress(address, 0)), pair.b::accept);
      assertEquals(address, listener.localAddress().toInet().getAddress());
      pair.a.connect(listener.localAddress());
      pair.until("connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
      assertEquals(address, pair.left().localAddress().toInet().getAddress());
      pair.success(pair.a, pair.a.send(pair.left(), text("six"), PostFlags.SIGNALED));
      assertEquals("six", new String(pair.message(pair.b).data(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void aSourceOfAnotherDeviceIsRefusedByName() {
    VerbsDevice device = device();
    String other = names().stream().filter(n -> !n.equals(name)).findFirst().orElse(null);
    assumeTrue(other != null, "this machine has one device only");
    InetAddress foreign = ((VerbsDevice) Devices.require(new VerbsProvider(), other)).defaultAddress();
    assumeTrue(foreign != null && device.defaultAddress() != null, "a device without address");
    PairOptions options = new PairOptions().withEndpoint(new EndpointOptions().withConnectTimeoutMillis(2000)
      .withSource(EndpointAddress.of(new InetSocketAddress(foreign, 0))));
    try (Pair pair = Pair.open(device, options)) {
      try {
        pair.a.connect(EndpointAddress.of(new InetSocketAddress(foreign, 4791)));
      } catch (ProviderException e) {
        assertTrue(e.getMessage().contains(name), e.getMessage());
        return;
      }
      pair.until("the refusal", () -> !pair.a.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.UNREACHABLE, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertTrue(pair.a.cause.getMessage().contains("another source address"), pair.a.cause.getMessage());
    }
  }

  @Test
  void moreQueuePairsThanTheSiwLibraryAllowsByItself() {
    try (Domain domain = device().open(); CompletionQueue queue = domain.createCompletionQueue(64)) {
      Side handler = new Side(domain, new PairOptions().withSlots(0, 64));
      List<Endpoint> endpoints = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        endpoints.add(domain.createEndpoint(queue, new EndpointOptions().withDepths(4, 4), handler));
      }
      assertTrue(queue.capacity() >= 200 * 8, "capacity " + queue.capacity());
      endpoints.forEach(Endpoint::close);
      handler.close();
    }
  }

  @Test
  void moreThanACompletionQueueHoldsIsRefusedAndLeavesNoOther() {
    try (Domain domain = device().open(); CompletionQueue queue = domain.createCompletionQueue(64)) {
      int most = domain.limits().completionQueueDepth();
      assumeTrue(most < Integer.MAX_VALUE, "the device does not say how many entries a queue has");
      int capacity = queue.capacity();
      ProviderException refused = assertThrows(ProviderException.class, () -> ((VerbsCompletionQueue) queue).reserve(most + 1));
      assertEquals(ProviderException.Reason.LIMIT, refused.reason());
      assertEquals(capacity, queue.capacity());
    }
  }

  @Test
  void aRegistrationBeyondTheMemlockLimitSaysSo() {
    try (Domain domain = device().open(); Arena arena = Arena.ofShared(); MemlockChange change = MemlockChange.to(64 << 10)) {
      countMemlock(true);
      ProviderException refused;
      try (MemoryRegion region = domain.register(arena.allocate(64 << 20, 4096), Set.of(Access.LOCAL_WRITE))) {
        abort("this driver lets this user pin more than the limit: " + region.size() + " bytes");
        return;
      } catch (ProviderException e) {
        refused = e;
      }
      assertEquals(ProviderException.Reason.LIMIT, refused.reason());
      for (String part : new String[] {"64 MiB", name, "errno 12", "memlock limit is 64 KiB", "ulimit -l"}) {
        assertTrue(refused.getMessage().contains(part), refused.getMessage());
      }
    } finally {
      countMemlock(false);
    }
  }

  private static void countMemlock(boolean on) {
    if (TestDevices.inUserSpace()) {
      Nic.built().countMemlock(on);
    }
  }

  @Test
  void handlerOfConnectedClosesTheQueue() {
    closeTheQueueInItsHandler(true);
  }

  @Test
  void handlerOfDisconnectedClosesTheQueue() {
    closeTheQueueInItsHandler(false);
  }

  private void closeTheQueueInItsHandler(boolean connecting) {
    try (Pair pair = Pair.connected(device(), new PairOptions()); CompletionQueue queue = pair.a.domain().createCompletionQueue(64)) {
      List<Endpoint> connected = new ArrayList<>();
      List<Endpoint> disconnected = new ArrayList<>();
      EndpointHandler handler = new EndpointHandler() {
        @Override
        public void connected(Endpoint endpoint, byte[] privateData) {
          connected.add(endpoint);
          if (connecting) {
            queue.close();
          }
        }

        @Override
        public void disconnected(Endpoint endpoint, ProviderException cause) {
          disconnected.add(endpoint);
          queue.close();
        }
      };
      CompletionBatch batch = new CompletionBatch(16);
      Endpoint endpoint = pair.a.domain().createEndpoint(queue, new PairOptions().endpoint(), handler);
      endpoint.connect(pair.listener().localAddress(), NONE);
      pair.until("connected", () -> queue.poll(batch) >= 0 && !connected.isEmpty() && pair.b.connected.size() == 2);
      if (!connecting) {
        pair.right().disconnect();
        pair.until("its end", () -> queue.poll(batch) >= 0 && !disconnected.isEmpty());
      }
      assertEquals(EndpointState.CLOSED, endpoint.state());
      assertEquals(0, queue.poll(batch));
    }
  }
}
