package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.SecretHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RefusedOnceTest {
  private static final byte[] WORD = {1, 2, 3};

  private final InMemoryFabric fabric = InMemoryFabric.create("refusing", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final VirtualTime time = new VirtualTime();
  private final List<String> refused = new ArrayList<>();

  private static final class Full extends ForwardingDomain {
    Full(InMemoryFabric fabric) {
      super(new Behind(fabric), fabric.device().open());
    }

    private static final class Behind extends ForwardingDevice {
      Behind(InMemoryFabric fabric) {
        super(fabric.device(), "full");
      }
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      throw new ProviderException(ProviderException.Reason.LIMIT, "no more endpoints");
    }
  }

  @Test
  void noEndpointIsLeft() {
    assertEquals(1, refusals(new Full(fabric), WORD));
  }

  @Test
  void anotherSecret() {
    assertEquals(1, refusals(fabric.device().open(), new byte[] {3, 2, 1}));
  }

  @Test
  void linkFailsWhenWatcherOfConnectorThrows() {
    DeviceLoop server = open(fabric.device().open());
    DeviceLoop client = open(fabric.device().open());
    Future<LinkListener> listening = LinkListener.listen(server, null, 0, at -> identity("server", WORD, LinkWatcher.NONE),
      link -> link.accept(new byte[0]));
    time.pass(TimeUnit.SECONDS.toNanos(1));
    Future<Link> link = LinkConnector.connect(client, listening.result().localAddress(), identity("client", WORD, new LinkWatcher() {
      @Override
      public void opened(Link opened) {
        throw new IllegalStateException("it does not like this one");
      }
    }), "service", new byte[0], 5_000, made -> made);
    time.pass(TimeUnit.SECONDS.toNanos(20));
    assertTrue(link.failed());
    assertEquals("it does not like this one", link.cause().getMessage());
  }

  @Test
  void linkFailsWhenWatcherOfAcceptorThrows() {
    DeviceLoop server = open(fabric.device().open());
    DeviceLoop client = open(fabric.device().open());
    LinkWatcher failing = new LinkWatcher() {
      @Override
      public void opened(Link opened) {
        throw new IllegalStateException("the watcher of this test fails");
      }

      @Override
      public void refused(Reason reason, String why) {
        refused.add(why);
      }
    };
    Future<LinkListener> listening = LinkListener.listen(server, null, 0, at -> identity("server", WORD, failing),
      link -> link.accept(new byte[0]));
    time.pass(TimeUnit.SECONDS.toNanos(1));
    Future<Link> link = LinkConnector.connect(client, listening.result().localAddress(), identity("client", WORD, LinkWatcher.NONE),
      "service", new byte[0], 5_000, made -> made);
    time.pass(TimeUnit.SECONDS.toNanos(20));
    assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
    assertEquals(Reason.CONNECTION_LOST, ((RdmaException) link.result().closeCause()).reason(), "the peer ended the connection");
    assertEquals(1, refused.size(), refused::toString);
  }

  @Test
  void connectorThatGivesUpIsNoWarning() {
    assertNoWarning(500);
  }

  @Test
  void connectorThatDoesNotGoOnIsNoWarning() {
    assertNoWarning(60_000);
  }

  private void assertNoWarning(int millis) {
    SimulatedLoop stopping = new SimulatedLoop(time, 1);
    DeviceLoop server = open(fabric.device().open());
    DeviceLoop client = open(stopping, fabric.device().open());
    LinkWatcher watcher = new LinkWatcher() {
      @Override
      public void refused(Reason reason, String why) {
        refused.add(why);
      }
    };
    Handshake handshake = new PlainHandshake(WORD);
    LinkIdentity accepting = new LinkIdentity(() -> NodeEntry.local("server", 1), new Handshake() {
      @Override
      public Connecting connecting() {
        return handshake.connecting();
      }

      @Override
      public Accepting accepting(byte[] request, byte[] channel) {
        stopping.stop();
        time.after(TimeUnit.SECONDS.toNanos(15), stopping::resume);
        return handshake.accepting(request, channel);
      }
    }, watcher);
    try (LogLines log = new LogLines(LinkListener.class)) {
      Future<LinkListener> listening = LinkListener.listen(server, null, 0, at -> accepting, link -> link.accept(new byte[0]));
      time.pass(TimeUnit.SECONDS.toNanos(1));
      Future<Link> link = LinkConnector.connect(client, listening.result().localAddress(), identity("client", WORD, LinkWatcher.NONE),
        "service", new byte[0], millis, made -> made);
      time.pass(TimeUnit.SECONDS.toNanos(30));
      assertTrue(link.failed());
      assertEquals(1, refused.size(), refused::toString);
      assertEquals(1, log.lines().size(), log.lines()::toString);
      assertEquals(List.of(), log.warnings());
    }
  }

  @Test
  void connectorThatRejoinsItsClusterDuringTheHandshakeConnectsAgain() {
    AtomicLong epoch = new AtomicLong(1);
    ClusterSecret secret = ClusterSecret.of("the same on all nodes".getBytes());
    Supplier<NodeEntry> self = () -> NodeEntry.local("client", epoch.get());
    Handshake handshake = new SecretHandshake(secret, () -> NodeEntry.local("server", 1));
    Handshake rejoining = new Handshake() {
      @Override
      public Connecting connecting() {
        return handshake.connecting();
      }

      @Override
      public Accepting accepting(byte[] request, byte[] channel) {
        epoch.compareAndSet(1, 2);
        return handshake.accepting(request, channel);
      }
    };
    DeviceLoop server = open(fabric.device().open());
    DeviceLoop client = open(fabric.device().open());
    try (LogLines log = new LogLines(LinkListener.class)) {
      Future<LinkListener> listening = LinkListener.listen(server, null, 0,
        at -> new LinkIdentity(() -> NodeEntry.local("server", 1), rejoining, LinkWatcher.NONE), link -> link.accept(new byte[0]));
      time.pass(TimeUnit.SECONDS.toNanos(1));
      Future<Link> link = LinkConnector.connect(client, listening.result().localAddress(),
        new LinkIdentity(self, new SecretHandshake(secret, self), LinkWatcher.NONE), "service", new byte[0], 5_000, made -> made);
      time.pass(TimeUnit.SECONDS.toNanos(4));
      assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
      assertEquals(List.of(), log.warnings());
    }
  }

  @Test
  void missingEndpointIsAWarning() {
    try (LogLines log = new LogLines(LinkListener.class)) {
      assertEquals(1, refusals(new Full(fabric), WORD));
      assertEquals(1, log.warnings().size(), log.lines()::toString);
    }
  }

  private int refusals(Domain accepting, byte[] word) {
    LinkWatcher watcher = new LinkWatcher() {
      @Override
      public void refused(Reason reason, String why) {
        refused.add(why);
      }
    };
    DeviceLoop server = open(accepting);
    DeviceLoop client = open(fabric.device().open());
    Future<LinkListener> listening = LinkListener.listen(server, null, 0, at -> identity("server", WORD, watcher),
      link -> link.accept(new byte[0]));
    time.pass(TimeUnit.SECONDS.toNanos(1));
    Future<Link> link = LinkConnector.connect(client, listening.result().localAddress(), identity("client", word, LinkWatcher.NONE),
      "service",
      new byte[0], 5_000, made -> made);
    time.pass(TimeUnit.SECONDS.toNanos(20));
    assertTrue(link.failed());
    return refused.size();
  }

  private static LinkIdentity identity(String name, byte[] word, LinkWatcher watcher) {
    return new LinkIdentity(() -> NodeEntry.local(name, 1), new PlainHandshake(word), watcher);
  }

  private DeviceLoop open(Domain domain) {
    return open(new SimulatedLoop(time, 1), domain);
  }

  private DeviceLoop open(SimulatedLoop loop, Domain domain) {
    Future<DeviceLoop> opening = DeviceLoop.open(loop, domain, LoopOptions.DEFAULT);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    return opening.result();
  }
}
