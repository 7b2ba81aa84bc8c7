package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations while the owner's only event loop is blocked: only fabrics that map memory execute them. */
@Timeout(120)
class BlockedOwnerTest extends FabricPair {
  private static final int ADDITIONS = 5_000;
  private static final int WORD = 64;

  @Override
  String fabric() {
    return "shm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setFabric(null);
  }

  @Override
  VertxOptions vertxOptions() {
    return new VertxOptions().setEventLoopPoolSize(1);
  }

  private RemoteRegion open(String name, String fabric) throws Exception {
    RemoteRegion remote = await(client.openRegion(name, new RegionOpenOptions().setFabric(fabric)));
    assertEquals(fabric, remote.fabric());
    await(remote.read(0, 8));
    return remote;
  }

  private RegionOptions region(String name) {
    return new RegionOptions().setName(name).setSize(1 << 20).setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC);
  }

  private final class Blocked implements AutoCloseable {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch enough = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    Blocked() throws InterruptedException {
      serverVertx.runOnContext(v -> {
        begun.countDown();
        try {
          enough.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        over.countDown();
      });
      begun.await();
    }

    boolean isOver() {
      return over.getCount() == 0;
    }

    @Override
    public void close() {
      enough.countDown();
    }
  }

  @Test
  void readsWritesAndAtomicsCompleteWhileItIsBlocked() throws Exception {
    MemoryRegion region = await(server.createRegion(region("there")));
    region.putRecord(4096, Buffer.buffer("a record"));
    RemoteRegion remote = open("there", "shm");
    byte[] data = new byte[300_000];
    Arrays.fill(data, (byte) 7);
    try (Blocked blocked = new Blocked()) {
      await(remote.write(8192, Buffer.buffer(data)));
      assertArrayEquals(data, await(remote.read(8192, data.length)).getBytes());
      assertEquals("a record", await(remote.readRecord(4096, 100)).toString());
      assertEquals(0, await(remote.fetchAndAdd(WORD, 5)));
      assertTrue(await(remote.compareAndSet(WORD, 5, 9)));
      assertEquals(9, await(remote.compareAndExchange(WORD, 1, 2)));
      assertFalse(blocked.isOver());
    }
    assertEquals(9, region.getAcquire(WORD));
    assertEquals(7, region.segment().get(ValueLayout.JAVA_BYTE, 8192));
  }

  /** The owner's loop executes additions over sockets, and none over shared memory, to the same word. */
  @Test
  void additionsOverTwoFabricsAndOfTheOwnerAddUpWhileItIsBlockedAtTimes() throws Exception {
    MemoryRegion region = await(server.createRegion(region("counters").addFabric("shm").addFabric("nio")));
    RemoteRegion mapped = open("counters", "shm");
    RemoteRegion sockets = open("counters", "nio");
    assertTrue(mapped.strategies().contains("atomics: by a processor"), mapped.strategies());
    assertTrue(sockets.strategies().contains("atomics: by a processor"), sockets.strategies());
    Thread owner = Thread.ofPlatform().start(() -> {
      for (int i = 0; i < ADDITIONS; i++) {
        region.fetchAndAdd(WORD, 1);
        Thread.onSpinWait();
      }
    });
    Future<Void> overSockets = add(sockets);
    await(add(mapped));
    Future<Void> meanwhile = add(sockets);
    try (Blocked blocked = new Blocked()) {
      await(add(mapped));
      assertFalse(blocked.isOver());
    }
    await(Future.all(overSockets, meanwhile));
    owner.join();
    assertEquals(5 * ADDITIONS, region.getAcquire(WORD));
    assertEquals(5 * ADDITIONS, await(mapped.fetchAndAdd(WORD, 0)));
  }

  private static Future<Void> add(RemoteRegion remote) {
    List<Future<Void>> lanes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Promise<Void> done = Promise.promise();
      lane(remote, ADDITIONS / 4, done);
      lanes.add(done.future());
    }
    return Future.all(lanes).mapEmpty();
  }

  private static void lane(RemoteRegion remote, int left, Promise<Void> done) {
    if (left == 0) {
      done.complete();
    } else {
      remote.fetchAndAdd(WORD, 1).onSuccess(v -> lane(remote, left - 1, done)).onFailure(done::fail);
    }
  }
}
