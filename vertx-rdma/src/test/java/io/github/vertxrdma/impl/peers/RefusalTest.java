package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer that has not proved the secret learns nothing about it, not even its place. The node that refuses the peer logs all of this. */
@Timeout(60)
class RefusalTest {
  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("refusal", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<String> log = new ArrayList<>();

  @TempDir
  Path folder;

  @Test
  void aStrangerIsNotToldWhereTheSecretIs() throws Exception {
    Path file = Files.writeString(folder.resolve("secret-of-the-cluster"), "the same on all nodes");
    NodeEntry node = NodeEntry.local("node", 1);
    Handshake own = new SecretHandshake(ClusterSecret.load(file.toString()), () -> node);
    Handshake others = new SecretHandshake(ClusterSecret.of("another one, elsewhere".getBytes()), () -> NodeEntry.local("stranger", 2));
    try (Domain domain = fabric.device().open()) {
      DeviceLoop loop = loop(domain, 1);
      DeviceLoop strangers = loop(domain, 2);
      LinkListener listener = LinkListener.listen(loop, null, 0, at -> new LinkIdentity(() -> node, own, new Noting()), link -> {
        throw new AssertionError("it did not prove the secret");
      }).result();
      Future<Link> connecting = LinkConnector.connect(strangers, listener.localAddress(),
        new LinkIdentity(() -> NodeEntry.local("stranger", 2),
          new Careless(others), LinkWatcher.NONE),
        "service", new byte[0], 10_000, link -> link);
      time.pass(TimeUnit.SECONDS.toNanos(1));
      String told = connecting.cause().getMessage();
      assertTrue(told.endsWith("was refused: the cluster secret was not proved. Give all nodes the same secret"), told);
      assertFalse(told.contains(file.getFileName().toString()), told);
      assertEquals(1, log.size(), log.toString());
      assertTrue(
        log.getFirst().startsWith("NOT_AUTHENTIC ") && log.getFirst().contains("stranger") && log.getFirst().contains(file.toString()),
        log.getFirst());
      listener.close();
      loop.close(new IllegalStateException("the test is over"));
      strangers.close(new IllegalStateException("the test is over"));
      time.pass(TimeUnit.SECONDS.toNanos(5));
    }
  }

  private DeviceLoop loop(Domain domain, long seed) {
    Future<DeviceLoop> opening = DeviceLoop.open(new SimulatedLoop(time, seed), domain, LoopOptions.DEFAULT);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    return opening.result();
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

  private final class Noting implements LinkWatcher {
    @Override
    public void refused(Reason reason, String why) {
      log.add(reason + " " + why);
    }
  }
}
