package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.github.vertxrdma.impl.support.Deaths;
import io.github.vertxrdma.simulator.world.Trace;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a node with 500 peers that dies, returns, or loses all its connections at once, in virtual time. Each peer has its own host, or all
 * have one.
 */
@Timeout(60)
class PeerStormTest {
  private static final int PEERS = 500;
  private static final int HUB_HOST = 1;
  private static final int FIRST_PORT = 7000;
  private static final long SOON_MILLIS = 1_000;
  private static final ClusterSecret SECRET = ClusterSecret.of("the same on all nodes".getBytes());

  private final VirtualTime time = new VirtualTime();
  private final TcpModel tcp = new TcpModel(time, Long.getLong("storm.seed", 1), new Trace(time::now, false), end -> {});
  private final List<Run> peers = new ArrayList<>();
  private Run hub;
  private long runs;

  private final class Run {
    final SimulatedHost host;
    final ControlLinks links;
    final NodeEntry self;
    final List<PeerDeath> deaths = new ArrayList<>();

    Run(String id, int number, int port) {
      long run = ++runs;
      host = new SimulatedHost(number, tcp, time, run);
      NodeEntry[] known = {SimulatedHost.entry(id, run)};
      links = new ControlLinks(host, new ControlSettings(SimulatedHost.name(number)).withPorts(port, port), SECRET, () -> known[0]);
      links.addListener(new Deaths(deaths::add));
      Future<Integer> listening = links.listen();
      pass(1);
      known[0] = known[0].withControl(SimulatedHost.name(number), listening.result());
      self = known[0];
    }
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void start(boolean onOneHost) {
    hub = new Run("hub", HUB_HOST, FIRST_PORT);
    for (int i = 0; i < PEERS; i++) {
      peers.add(new Run("peer " + i, HUB_HOST + 1 + (onOneHost ? 0 : i), FIRST_PORT + i));
    }
    connectAll();
  }

  private void connectAll() {
    List<Future<ControlLink>> made = peers.stream().map(peer -> peer.links.link(hub.self)).toList();
    pass(SOON_MILLIS);
    assertEquals(List.of(), made.stream().filter(link -> !link.succeeded()).map(link -> String.valueOf(link.cause())).distinct().toList());
    assertEquals(PEERS, links(hub));
  }

  private int links(Run run) {
    Future<List<ControlLink>> open = run.links.links();
    pass(1);
    return open.result().size();
  }

  private void killHub() {
    tcp.kill(hub.host, false);
    hub.host.kill();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allKnowAtOnceThatItDiedAndAllReachItWhenItReturns(boolean onOneHost) {
    start(onOneHost);
    killHub();
    pass(SOON_MILLIS);
    for (Run peer : peers) {
      assertEquals(List.of(hub.self.epoch()), peer.deaths.stream().map(PeerDeath::epoch).toList());
      assertTrue(peer.deaths.getFirst().certain(), peer.deaths::toString);
    }
    assertEquals(0, tcp.open().size(), "connections that are left");
    hub = new Run("hub", HUB_HOST, FIRST_PORT);
    connectAll();
    assertEquals(2 * PEERS, tcp.open().size(), "ends of connections");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyIsTakenForDeadSinceAllItsConnectionsWereReset(boolean onOneHost) {
    start(onOneHost);
    tcp.open().stream().filter(end -> end.host == hub.host).forEach(end -> end.reset(true));
    pass(SOON_MILLIS);
    for (Run peer : peers) {
      assertEquals(List.of(), peer.deaths);
    }
    assertEquals(List.of(), hub.deaths);
    assertEquals(PEERS, links(hub));
    assertEquals(2 * PEERS, tcp.open().size(), "ends of connections");
  }

  @Test
  void deathOfHalfOfThePeersIsReportedToTheHubOnly() {
    start(true);
    List<Run> dying = peers.subList(0, PEERS / 2);
    for (Run peer : dying) {
      tcp.kill(peer.host, false);
      peer.host.kill();
    }
    pass(2 * SOON_MILLIS);
    assertEquals(PEERS / 2, hub.deaths.size());
    assertTrue(hub.deaths.stream().allMatch(PeerDeath::certain));
    assertEquals(PEERS / 2, links(hub));
    for (Run peer : peers.subList(PEERS / 2, PEERS)) {
      assertEquals(List.of(), peer.deaths);
    }
    assertEquals(PEERS, tcp.open().size(), "ends of connections");
  }
}
