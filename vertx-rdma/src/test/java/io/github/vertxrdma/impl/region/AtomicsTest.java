package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AtomicsTest {
  private static final int ADDITIONS = 10_000;
  private static final int WORD = 24;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final Device one = InMemoryFabric.create("one", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device();
  private final Device two = InMemoryFabric.create("two", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device();
  private final List<TestNode> nodes = new ArrayList<>();

  private TestNode node(String name) throws Exception {
    return node(name, one, two);
  }

  private TestNode node(String name, Device... devices) throws Exception {
    TestNode node = new TestNode(vertx, name, RegionRegistry.Listener.NONE, devices);
    nodes.add(node);
    return node;
  }

  @AfterEach
  void stop() throws Exception {
    for (TestNode node : nodes) {
      node.close();
    }
    await(vertx.close());
  }

  private static Future<Void> add(LongFunction<Future<Long>> fetchAndAdd) {
    List<Future<Void>> lanes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Promise<Void> done = Promise.promise();
      lane(fetchAndAdd, ADDITIONS / 4, done);
      lanes.add(done.future());
    }
    return Future.all(lanes).mapEmpty();
  }

  /** A loop, because nested calls would overflow the stack. */
  private static void lane(LongFunction<Future<Long>> fetchAndAdd, int left, Promise<Void> done) {
    for (int rest = left; rest > 0; rest--) {
      Future<Long> next = fetchAndAdd.apply(1);
      if (!next.succeeded()) {
        int then = rest - 1;
        next.onSuccess(v -> lane(fetchAndAdd, then, done)).onFailure(done::fail);
        return;
      }
    }
    done.complete();
  }

  @Test
  void theOwnerAndPeersOverTwoFabrics() throws Exception {
    TestNode a = node("a");
    OwnedRegion region = a.share("counters", 4096, ATOMIC);
    assertEquals(RegionEntry.PROCESSOR, region.authority());
    assertEquals(2, region.tokens().size());
    RemoteRegion b = node("b").connect(a, 0)[0].open(region);
    RemoteRegion c = node("c").connect(a, 1)[0].open(region);
    assertTrue(b.strategies().contains("by the owner"), b.strategies());
    Thread owner = Thread.ofPlatform().start(() -> {
      for (int i = 0; i < ADDITIONS; i++) {
        region.fetchAndAdd(WORD, 1);
        Thread.onSpinWait();
      }
    });
    await(Future.all(add(n -> b.fetchAndAdd(WORD, n)), add(n -> c.fetchAndAdd(WORD, n))));
    owner.join();
    assertEquals(3 * ADDITIONS, region.getAcquire(WORD));
  }

  @Test
  void peersOverTheOneDeviceThatExecutesThem() throws Exception {
    TestNode a = node("a");
    OwnedRegion region = a.share(new RegionOptions().setName("counters").setSize(4096).setAccess(ATOMIC).addFabric("one"));
    assertEquals("one", region.authority());
    assertEquals(1, region.tokens().size());
    RemoteRegion b = node("b").connect(a, 0)[0].open(region);
    RemoteRegion c = node("c").connect(a, 0)[0].open(region);
    // The owner opens its region like a peer.
    RemoteRegion own = a.connect(a, 0)[0].open(region);
    assertTrue(b.strategies().contains("by the owner's device"), b.strategies());
    await(Future.all(add(n -> b.fetchAndAdd(WORD, n)), add(n -> c.fetchAndAdd(WORD, n)), add(n -> own.fetchAndAdd(WORD, n))));
    assertEquals(3 * ADDITIONS, region.getAcquire(WORD));
  }

  @Test
  void atomicsOfOneAdapterAreNotGrantedOverAnotherOfItsFabric() throws Exception {
    Device rail = new ForwardingDevice(two, "rail") {
      @Override
      public String fabric() {
        return one.fabric();
      }
    };
    TestNode a = node("a", one, rail);
    TestNode b = node("b", one, rail);
    OwnedRegion region = a.share(new RegionOptions().setName("counters").setSize(4096).setAccess(ATOMIC).addFabric("rail"));
    assertEquals(one.fabric(), region.authority());
    Caller caller = Caller.of(vertx.getOrCreateContext());
    assertFails(Reason.UNSUPPORTED, b.connect(a, 0)[1].peer.grant(caller, region, Set.of(ATOMIC), null), "over one", "another device");
    await(b.connect(a, 1)[1].peer.grant(caller, region, Set.of(ATOMIC), null));
  }

  @Test
  void plainWritesToWordsOfAtomicsAreRefused() throws Exception {
    TestNode a = node("a");
    OwnedRegion region = a.share("counters", 1 << 20, ATOMIC, WRITE);
    RemoteRegion b = node("b").connect(a, 0)[0].open(region);
    await(b.write(0, Buffer.buffer(new byte[100])));
    await(b.fetchAndAdd(WORD, 1));
    await(b.fetchAndAdd(8000, 1));
    assertFails(Reason.ACCESS_DENIED, b.write(WORD, Buffer.buffer("12345678")), "24", "compareAndSet");
    assertFails(Reason.ACCESS_DENIED, b.write(WORD + 7, Buffer.buffer("1")));
    assertFails(Reason.ACCESS_DENIED, b.writeNotify(0, Buffer.buffer(new byte[WORD + 1]), 1));
    assertFails(Reason.ACCESS_DENIED, b.write(4000, Buffer.buffer(new byte[4001])), "8000");
    await(b.write(0, Buffer.buffer(new byte[WORD])));
    await(b.write(WORD + 8, Buffer.buffer(new byte[7000])));
    await(b.write(8008, Buffer.buffer(new byte[7000])));
    await(b.write(WORD, Buffer.buffer()));
  }

  @Test
  void aFloodInBothDirectionsFlows() throws Exception {
    TestNode a = node("a");
    TestNode b = node("b");
    OwnedRegion ofA = a.share(new RegionOptions().setName("a").setSize(64).setAccess(ATOMIC).setOwnerAtomics(true));
    OwnedRegion ofB = b.share(new RegionOptions().setName("b").setSize(64).setAccess(ATOMIC, WRITE).setOwnerAtomics(true));
    TestNode.End[] ends = a.connect(b, 0);
    RemoteRegion there = ends[0].open(ofB);
    RemoteRegion back = ends[1].open(ofA);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < ADDITIONS; i++) {
      all.add(there.fetchAndAdd(0, 1));
      all.add(back.fetchAndAdd(0, 1));
      all.add(there.writeNotify(32, Buffer.buffer("12345678"), i));
    }
    await(Future.all(all));
    assertEquals(ADDITIONS, ofA.getAcquire(0));
    assertEquals(ADDITIONS, ofB.getAcquire(0));
  }
}
