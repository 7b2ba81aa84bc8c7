package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random shares, opens, grants, uses, closes, revocations and deaths. Each future completes, with a permitted failure if any, and nothing
 * is left in the end.
 */
@Timeout(120)
class RegionChaosTest {
  private static final Set<Reason> EXPECTED = EnumSet.of(Reason.REVOKED, Reason.CLOSED, Reason.CONNECTION_LOST, Reason.NOT_FOUND,
    Reason.OTHER, Reason.TIMEOUT, Reason.ACCESS_DENIED);
  private static final int STEPS = 1500;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final List<TestNode> nodes = new ArrayList<>();
  private final List<TestNode.End> ends = new ArrayList<>();
  private final List<TestNode.End> owners = new ArrayList<>();
  private final List<OwnedRegion> regions = new ArrayList<>();
  private final List<OwnedRegion> sinks = new ArrayList<>();
  /** Not sinks: memory that a write reads must not be read into meanwhile. */
  private final List<OwnedRegion> sources = new ArrayList<>();
  private final List<RemoteRegion> remotes = new CopyOnWriteArrayList<>();
  private final List<Future<?>> pending = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
  private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();
  private Random random;

  private void watch(Future<?> future) {
    pending.add(future.onComplete(done -> outcomes.merge(done.succeeded() ? "done"
      : done.cause() instanceof RdmaException e ? e.reason().name() : "?", 1, Integer::sum)).onFailure(cause -> {
        if (!(cause instanceof RdmaException e && EXPECTED.contains(e.reason()))) {
          unexpected.add(cause);
        }
      }));
  }

  @SuppressWarnings("unchecked")
  private <T> T any(List<T> list) {
    Object[] now = list.toArray();
    return now.length == 0 ? null : (T) now[random.nextInt(now.length)];
  }

  private void opened(RemoteRegion remote) {
    remotes.add(remote);
    remote.closeHandler(v -> remotes.remove(remote));
  }

  private TestNode owner() {
    return nodes.getFirst();
  }

  private void step(int number) throws Exception {
    int kind = random.nextInt(100);
    if (kind < 3 || regions.size() < 2) {
      RegionOptions options = new RegionOptions().setName("region " + number).setSize(1 << 20).setAccess(RegionAccess.values())
        .setOwnerAtomics(random.nextBoolean());
      regions.add(await(owner().registry.share(Caller.of(vertx.getOrCreateContext()), options, null, owner().domains)));
    } else if (kind < 5) {
      OwnedRegion region = regions.remove(random.nextInt(regions.size()));
      watch(random.nextBoolean() ? region.close() : region.revoke().compose(v -> region.close()));
    } else if (kind < 7 && ends.size() > 2) {
      TestNode.End end = ends.remove(random.nextInt(ends.size()));
      end.link.loop().eventLoop().execute(() -> end.link.fail(new RdmaException(Reason.OTHER, "dies on purpose")));
    } else if (kind < 9 || ends.size() < 3) {
      TestNode user = nodes.get(1 + random.nextInt(nodes.size() - 1));
      TestNode.End[] made = user.connect(owner(), 0);
      made[0].peer.grantHandler(Caller.of(vertx.getOrCreateContext()), this::opened);
      ends.add(made[0]);
      owners.add(made[1]);
    } else if (kind < 14) {
      watch(any(ends).tryOpen(any(regions).id()).onSuccess(this::opened));
    } else if (kind < 17) {
      Duration lifetime = random.nextBoolean() ? null : Duration.ofMillis(random.nextInt(50));
      watch(
        any(owners).peer.grant(Caller.of(vertx.getOrCreateContext()), any(regions), Set.of(RegionAccess.READ, RegionAccess.WRITE), lifetime)
          .compose(grant -> ThreadLocalRandom.current().nextBoolean() ? grant.revoke() : Future.succeededFuture()));
    } else {
      RemoteRegion remote = any(remotes);
      if (remote != null && kind < 19) {
        remotes.remove(remote);
        watch(remote.close());
      } else if (remote != null) {
        use(remote);
      }
    }
  }

  private void use(RemoteRegion remote) throws Exception {
    int offset = 8 * random.nextInt(1 << 16);
    int length = random.nextInt((1 << 20) - offset);
    switch (random.nextInt(7)) {
      case 0 -> watch(remote.read(offset, length));
      case 1 -> watch(remote.write(offset + 8, Buffer.buffer(new byte[Math.max(0, length - 8)])));
      case 2 -> watch(remote.writeNotify(offset + 8, Buffer.buffer(new byte[Math.max(0, length - 8)]), 1));
      case 3 -> watch(remote.fetchAndAdd(0, 1));
      case 4 -> watch(remote.readNotify(offset, length, 2));
      case 5 -> watch(remote.read(offset, any(sinks), 0, length));
      default -> watch(remote.write(offset + 8, any(sources), 0, Math.max(0, length - 8)));
    }
  }

  private void run(InMemoryFabric fabric, Device device) throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed " + seed);
    random = new Random(seed);
    for (String name : List.of("owner", "user1", "user2", "user3")) {
      nodes.add(new TestNode(vertx, name, RegionRegistry.Listener.NONE, device));
    }
    for (TestNode node : nodes.subList(1, 4)) {
      sinks.add(node.share(new RegionOptions().setSize(1 << 20)));
      sources.add(node.share(new RegionOptions().setSize(1 << 20)));
    }
    for (int i = 0; i < STEPS; i++) {
      step(i);
      if (i % 100 == 99) {
        settle();
      }
    }
    settle();
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).close();
    }
    await(vertx.close());
    System.out.println(outcomes);
    assertTrue(outcomes.get("done") > STEPS / 3, () -> "little was done: " + outcomes);
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  private void settle() {
    List<Future<?>> now = new ArrayList<>(pending);
    pending.clear();
    until("every future is completed", () -> now.stream().allMatch(Future::isComplete));
    assertTrue(unexpected.isEmpty(), () -> "unexpected: " + unexpected);
  }

  @Test
  void overConnectedEndpoints() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("chaos", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    run(fabric, fabric.device());
  }

  @Test
  void overConnectionlessEndpoints() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("chaos", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    run(fabric, fabric.rdmDevice());
  }

  @Test
  void overAStrictDevice() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("chaos", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    StrictDevice strict = StrictDevice.over(fabric.device());
    run(fabric, strict);
    assertEquals(List.of(), strict.violations());
  }
}
