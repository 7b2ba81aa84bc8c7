package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.link.LinkWorld.identity;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.SecretHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handshakes that fail, are slow, or are repeated. */
@Timeout(60)
class LinkHandshakeTest {
  private static final Handshake PLAIN = new PlainHandshake(LinkWorld.WORD);
  private static final int MILLIS = 5_000;

  private final LinkWorld world = new LinkWorld();
  private final List<String> refused = new ArrayList<>();
  private final LinkWatcher noting = new LinkWatcher() {
    @Override
    public void refused(Reason reason, String why) {
      refused.add(reason + " " + why);
    }
  };
  @TempDir
  Path folder;

  @AfterEach
  void nothingIsLeft() {
    world.close();
  }

  /** A handshake of an acceptor that does something before it answers. */
  private record Before(Handshake handshake, Runnable action) implements Handshake {
    @Override
    public Connecting connecting() {
      return handshake.connecting();
    }

    @Override
    public Accepting accepting(byte[] request, byte[] channel) {
      action.run();
      return handshake.accepting(request, channel);
    }
  }

  /** A handshake of an acceptor that knows another node with the connector's id, until a number of attempts. */
  private record IdInUse(AtomicLong attempts, int until) implements Handshake {
    @Override
    public Connecting connecting() {
      return PLAIN.connecting();
    }

    @Override
    public Accepting accepting(byte[] request, byte[] channel) {
      Accepting accepting = PLAIN.accepting(request, channel);
      return new Accepting() {
        @Override
        public byte[] accept() {
          return accepting.accept();
        }

        @Override
        public void verify(byte[] proof, String nodeId, long epoch) {
          if (attempts.incrementAndGet() < until) {
            throw new RdmaException(Reason.TIMEOUT, "a node with this id is connected");
          }
        }
      };
    }
  }

  private static final class Renamed extends ForwardingDevice {
    Renamed(LinkWorld world) {
      super(world.fabric.device(), "renamed");
    }
  }

  /** A domain in which no endpoint can be created. */
  private static final class Full extends ForwardingDomain {
    Full(LinkWorld world) {
      super(new Renamed(world), world.fabric.device().open());
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      throw new ProviderException(ProviderException.Reason.LIMIT, "no more endpoints");
    }
  }

  /** A domain whose first connect ends early: iWARP in the kernel gives up after 10 s, and an acceptor disconnects if others wait. */
  private final class Impatient extends ForwardingDomain {
    private final int seconds;
    private final ProviderException.Reason reason;
    private int connects;

    Impatient(int seconds, ProviderException.Reason reason) {
      super(new Renamed(world), world.fabric.device().open());
      this.seconds = seconds;
      this.reason = reason;
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new ForwardingEndpoint(this, queue, options, handler) {
        @Override
        public void connect(EndpointAddress remote, byte[] privateData) {
          if (++connects > 1) {
            super.connect(remote, privateData);
          } else {
            world.time.after(TimeUnit.SECONDS.toNanos(seconds), () -> onDisconnected(
              new ProviderException(reason, "the first connect ends early")));
          }
        }
      };
    }
  }

  private Future<Link> connect(DeviceLoop client, LinkIdentity connecting, DeviceLoop server, LinkIdentity accepting) {
    return connect(client, connecting, MILLIS, server, accepting, 0);
  }

  private Future<Link> connect(DeviceLoop client, LinkIdentity connecting, int millis, DeviceLoop server, LinkIdentity accepting,
    int listenersMillis) {
    LinkListener listener = world.listen(server, accepting, listenersMillis, incoming -> incoming.accept(LinkWorld.NONE));
    return LinkWorld.connect(client, listener, connecting, millis, link -> link);
  }

  private void assertRefusedOnce(Domain accepting, Handshake handshake) {
    Future<Link> link = connect(world.open(), identity("client", handshake, LinkWatcher.NONE), world.open(accepting),
      identity("server", PLAIN, noting));
    world.pass(20);
    assertTrue(link.failed());
    assertEquals(1, refused.size(), refused::toString);
  }

  @Test
  void anotherSecretIsRefusedOnce() {
    assertRefusedOnce(world.fabric.device().open(), new PlainHandshake(new byte[] {3, 2, 1}));
  }

  @Test
  void missingEndpointIsRefusedOnceWithAWarning() {
    try (LogLines log = new LogLines(LinkListener.class)) {
      assertRefusedOnce(new Full(world), PLAIN);
      assertEquals(1, log.warnings().size(), log.lines()::toString);
    }
  }

  /** The node that refuses the peer logs what the peer does not learn. */
  @Test
  void peerWithoutTheSecretLearnsNothingAboutIt() throws Exception {
    Path file = Files.writeString(folder.resolve("secret-of-the-cluster"), "the same on all nodes");
    Supplier<NodeEntry> node = () -> NodeEntry.local("node", 1);
    Supplier<NodeEntry> stranger = () -> NodeEntry.local("stranger", 2);
    Handshake others = new SecretHandshake(ClusterSecret.of("another one, elsewhere".getBytes()), stranger);
    Future<Link> link = connect(world.open(), new LinkIdentity(stranger, new Careless(others), LinkWatcher.NONE), world.open(),
      new LinkIdentity(node, new SecretHandshake(ClusterSecret.load(file.toString()), node), noting));
    world.pass(1);
    String told = link.cause().getMessage();
    assertTrue(told.endsWith("was refused: the cluster secret was not proved. Give all nodes the same secret"), told);
    assertFalse(told.contains(file.getFileName().toString()), told);
    assertEquals(1, refused.size(), refused::toString);
    String logged = refused.getFirst();
    assertTrue(logged.startsWith("NOT_AUTHENTIC ") && logged.contains("stranger") && logged.contains(file.toString()), logged);
  }

  /** Continues although the acceptor has proved another secret, with an invalid proof. */
  private record Careless(Handshake handshake) implements Handshake {
    @Override
    public Connecting connecting() {
      Connecting connecting = handshake.connecting();
      return new Connecting() {
        @Override
        public byte[] request() {
          return connecting.request();
        }

        @Override
        public byte[] confirm(byte[] accept, byte[] channel) {
          return new byte[accept.length];
        }
      };
    }

    @Override
    public Accepting accepting(byte[] request, byte[] channel) {
      return handshake.accepting(request, channel);
    }
  }

  private LinkWatcher failing(String why) {
    return new LinkWatcher() {
      @Override
      public void opened(Link opened) {
        throw new IllegalStateException(why);
      }

      @Override
      public void refused(Reason reason, String words) {
        refused.add(words);
      }
    };
  }

  @Test
  void linkFailsWhenWatcherOfConnectorThrows() {
    Future<Link> link = connect(world.open(), identity("client", PLAIN, failing("it does not like this one")), world.open(),
      identity("server"));
    world.pass(20);
    assertTrue(link.failed());
    assertEquals("it does not like this one", link.cause().getMessage());
  }

  @Test
  void linkFailsWhenWatcherOfAcceptorThrows() {
    Future<Link> link = connect(world.open(), identity("client"), world.open(),
      identity("server", PLAIN, failing("the watcher of this test fails")));
    world.pass(20);
    assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
    assertEquals(Reason.CONNECTION_LOST, ((RdmaException) link.result().closeCause()).reason(), "the peer ended the connection");
    assertEquals(1, refused.size(), refused::toString);
  }

  private Handshake stoppingOnce(SimulatedLoop loop, int seconds) {
    AtomicBoolean stopped = new AtomicBoolean();
    return new Before(PLAIN, () -> {
      if (!stopped.getAndSet(true)) {
        loop.stop();
        world.time.after(TimeUnit.SECONDS.toNanos(seconds), loop::resume);
      }
    });
  }

  /** The connector gives up while it is stopped, or has not continued when the time of the listener is over. */
  @ParameterizedTest
  @ValueSource(ints = {500, 60_000})
  void connectorThatIsStoppedIsNoWarning(int millis) {
    SimulatedLoop stopped = new SimulatedLoop(world.time, 1);
    try (LogLines log = new LogLines(LinkListener.class)) {
      Future<Link> link = connect(world.open(stopped, world.fabric.device().open()), identity("client"), millis, world.open(),
        identity("server", stoppingOnce(stopped, 15), noting), 0);
      world.pass(30);
      assertEquals(millis == 60_000, link.succeeded(), "whether it connects again");
      assertEquals(1, refused.size(), refused::toString);
      assertEquals(1, log.lines().size(), log.lines()::toString);
      assertEquals(List.of(), log.warnings());
    }
  }

  @Test
  void slowConnectorHasTheTimeOfTheListener() {
    SimulatedLoop slow = new SimulatedLoop(world.time, 1);
    Future<Link> link = connect(world.open(slow, world.fabric.device().open()), identity("client"), 60_000, world.open(),
      identity("server", stoppingOnce(slow, 30), noting), 60_000);
    world.pass(31);
    assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
    assertEquals(List.of(), refused);
  }

  @Test
  void linkFailsWithAHintToTheLogOfTheListenerWhenTheListenerDisconnects() {
    DeviceLoop server = world.open();
    LinkListener listener = world.listen(server, identity("server"), incoming -> server.close(new IllegalStateException("it ends")));
    Future<Link> link = LinkWorld.connect(world.open(), listener, identity("client"), MILLIS, made -> made);
    world.pass(4);
    assertTrue(link.failed());
    String told = link.cause().getMessage();
    assertTrue(told.endsWith(": the peer disconnected before the handshake completed; its log may state the reason"), told);
  }

  @ParameterizedTest
  @CsvSource({"10, TIMEOUT, 60000, 2", "10, TIMEOUT, 10000, 1", "0, TIMEOUT, 60000, 1", "1, DISCONNECTED, 60000, 2",
    "0, DISCONNECTED, 60000, 1", "10, REJECTED, 60000, 1"})
  void fabricThatGivesUpEarlyConnectsAgainInTheTimeThatIsLeft(int seconds, ProviderException.Reason reason, int timeout, int expected) {
    Impatient impatient = new Impatient(seconds, reason);
    Future<Link> link = connect(world.open(impatient), identity("client"), timeout, world.open(), identity("server"), 0);
    world.pass(70);
    assertTrue(link.isComplete());
    assertEquals(expected == 2, link.succeeded(), () -> String.valueOf(link.cause()));
    assertEquals(expected, impatient.connects);
  }

  @Test
  void refusalOfApplicationIsFinal() {
    int[] asked = {0};
    LinkListener listener = world.listen(world.open(), identity("server"), 0, incoming -> {
      asked[0]++;
      world.time.after(TimeUnit.SECONDS.toNanos(2), () -> incoming.refuse(Reason.TIMEOUT, "a test took too long"));
    });
    Future<Link> link = LinkWorld.connect(world.open(), listener, identity("client"), 10_000, made -> made);
    world.pass(9);
    assertEquals(Reason.REJECTED, Reasons.of(link.cause()));
    assertEquals(1, asked[0]);
  }

  @Test
  void connectorThatRejoinsItsClusterDuringTheHandshakeConnectsAgain() {
    AtomicLong epoch = new AtomicLong(1);
    ClusterSecret secret = ClusterSecret.of("the same on all nodes".getBytes());
    Supplier<NodeEntry> self = () -> NodeEntry.local("client", epoch.get());
    Handshake rejoining = new Before(new SecretHandshake(secret, () -> NodeEntry.local("server", 1)), () -> epoch.compareAndSet(1, 2));
    try (LogLines log = new LogLines(LinkListener.class)) {
      Future<Link> link = connect(world.open(), new LinkIdentity(self, new SecretHandshake(secret, self), LinkWatcher.NONE), world.open(),
        identity("server", rejoining, LinkWatcher.NONE));
      world.pass(4);
      assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
      assertEquals(List.of(), log.warnings());
    }
  }

  /** The acceptor may know a connected node with the id of a connector that has restarted. */
  @Test
  void connectorWhoseIdIsInUseConnectsAgain() {
    AtomicLong attempts = new AtomicLong();
    Future<Link> link = connect(world.open(), identity("client"), world.open(), identity("server", new IdInUse(attempts, 3), noting));
    world.pass(2);
    assertFalse(link.isComplete());
    world.pass(2);
    assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
    assertEquals(3, attempts.get());
    assertEquals(2, refused.size(), refused::toString);
  }
}
