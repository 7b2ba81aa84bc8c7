package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RegionMisuseTest extends RegionPair {
  @Test
  void rangesAndAccessAreCheckedBeforeAnythingIsSent() throws Exception {
    RemoteRegion all = near.open(owner.share("all", 100, READ, WRITE, ATOMIC));
    assertFails(Reason.OUT_OF_RANGE, all.read(0, 101), "'all'", "101", "100");
    assertFails(Reason.OUT_OF_RANGE, all.read(-1, 1), "-1");
    assertFails(Reason.OUT_OF_RANGE, all.read(Long.MAX_VALUE, 10));
    assertFails(Reason.OUT_OF_RANGE, all.read(0, -1));
    assertFails(Reason.OUT_OF_RANGE, all.read(0, Buffer.buffer(), -1, 5));
    assertFails(Reason.OUT_OF_RANGE, all.write(99, Buffer.buffer("ab")));
    assertFails(Reason.OUT_OF_RANGE, all.writeNotify(99, Buffer.buffer("ab"), 1));
    assertFails(Reason.OUT_OF_RANGE, all.fetchAndAdd(96, 1), "96");
    assertFails(Reason.OUT_OF_RANGE, all.fetchAndAdd(4, 1), "a multiple of 8");
    assertFails(Reason.OUT_OF_RANGE, all.readRecord(4, 10));
    OwnedRegion local = user.share(new RegionOptions().setSize(10));
    assertFails(Reason.OUT_OF_RANGE, all.read(0, local, 5, 6), "10 bytes");

    RemoteRegion none = near.open(owner.share("none", 100));
    assertFails(Reason.ACCESS_DENIED, none.read(0, 1), "'none'", "READ");
    assertFails(Reason.ACCESS_DENIED, none.readRecord(0, 1), "READ");
    assertFails(Reason.ACCESS_DENIED, none.write(0, Buffer.buffer("a")), "WRITE");
    assertFails(Reason.ACCESS_DENIED, none.writeNotify(0, Buffer.buffer("a"), 1), "WRITE");
    assertFails(Reason.ACCESS_DENIED, none.fetchAndAdd(0, 1), "ATOMIC");
    assertFails(Reason.ACCESS_DENIED, none.read(0, local, 0, 1), "READ");
    assertLinkLives();
  }

  @Test
  void aBufferThatDoesNotTakeWhatIsReadEndsItsOwnReadAlone() throws Exception {
    RemoteRegion table = near.open(owner.share("table", 100, READ));
    assertFails(Reason.OUT_OF_RANGE, table.read(0, Buffer.buffer(), Integer.MAX_VALUE - 10, 50), "read of 50 bytes");
    Buffer readOnly = BufferInternal.buffer(Unpooled.wrappedBuffer(new byte[100]).asReadOnly());
    assertFails(Reason.OTHER, table.read(0, readOnly, 0, 50), "'table'", "buffer");
    assertEquals(50, await(table.read(0, Buffer.buffer(), 0, 50)).length());
    await(table.close());
    assertLinkLives();
  }

  @Test
  void aBufferThatIsReleasedTooEarlyFailsItsOwnWriteAlone() throws Exception {
    RemoteRegion table = near.open(owner.share("table", 1 << 20, READ, WRITE));
    DeviceLoop loop = user.loops.getFirst();
    for (boolean waiting : new boolean[] {true, false}) {
      List<ByteBuf> buffers = List.of(Unpooled.directBuffer().writeZero(100_000), Unpooled.directBuffer().writeZero(100_000));
      Supplier<List<Future<Void>>> writes = () -> List.of(table.write(0, BufferInternal.buffer(buffers.getFirst())),
        table.writeNotify(0, BufferInternal.buffer(buffers.getLast()), 1));
      List<Future<Void>> begun = loop.eventLoop().submit(() -> {
        List<Future<Void>> calls = waiting ? writes.get() : CompletableFuture.supplyAsync(writes).join();
        buffers.forEach(ByteBuf::release);
        return calls;
      }).get(20, TimeUnit.SECONDS);
      for (Future<Void> write : begun) {
        assertFails(Reason.OTHER, write, "'table'", "cannot copy the data from the buffer", "refCnt: 0");
      }
      await(table.write(0, Buffer.buffer(new byte[100_000])));
      await(table.writeNotify(0, Buffer.buffer(new byte[100_000]), 1));
      assertEquals(0, loop.eventLoop().submit(() -> loop.memory.stagingSlots.inUse() + near.link.rmaPending()).get(20, TimeUnit.SECONDS));
    }
    await(table.close());
    assertLinkLives();
  }

  @Test
  void aForgedOrStaleRegionIdOpensNothing() throws Exception {
    assertFails(Reason.NOT_FOUND, near.tryOpen(12345));
    OwnedRegion region = owner.share("gone", 64, READ);
    await(region.revoke(Duration.ofMillis(20_000)));
    assertFails(Reason.NOT_FOUND, near.tryOpen(region.id()));
    OwnedRegion unnamed = owner.share(new RegionOptions().setSize(64).setAccess(READ));
    assertFails(Reason.NOT_FOUND, near.tryOpen(unnamed.id()));
    assertLinkLives();
  }

  @Test
  void aPeerOpensARegionOnlySoOften() throws Exception {
    OwnedRegion region = owner.share("table", 64, READ);
    OwnedRegion other = owner.share("other", 64, READ);
    List<Future<RemoteRegion>> opens = new ArrayList<>();
    for (int i = 0; i < 1024; i++) {
      opens.add(near.tryOpen(region.id()));
    }
    await(Future.all(opens));
    assertFails(Reason.LIMIT, near.tryOpen(region.id()), "'table'", "1024", "close");
    near.open(other);
    assertEquals(1024, region.holders().size());
    await(opens.getFirst().result().close());
    near.open(region);
    assertLinkLives();
  }

  /** The initiator checks ranges too, so the writes that are refused bypass its check. */
  @Test
  void notifiedWritesBothWaysAreAllAnswered() throws Exception {
    OwnedRegion here = user.share("here", 64, READ, WRITE);
    OwnedRegion there = owner.share("there", 64, READ, WRITE);
    RemoteRegionImpl far2 = (RemoteRegionImpl) far.open(here);
    RemoteRegionImpl near2 = (RemoteRegionImpl) near.open(there);
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    int rounds = 300;
    for (int i = 0; i < rounds; i++) {
      for (RemoteRegionImpl remote : List.of(far2, near2)) {
        Promise<Void> promise = Promise.promise();
        remote.lease.peer.execute(() -> remote.writeInline(0, Buffer.buffer("12345678"), 7, promise));
        promise.future().onComplete(done -> (done.succeeded() ? answered : refused).incrementAndGet());
        Promise<Void> bad = Promise.promise();
        if (i % 3 == 0) {
          remote.lease.peer.execute(() -> remote.writeInline(60, Buffer.buffer("12345678"), 7, bad));
          bad.future().onFailure(cause -> refused.addAndGet(((RdmaException) cause).reason() == Reason.OUT_OF_RANGE ? 1 : 0));
        }
      }
    }
    until("all are answered", () -> answered.get() + refused.get() == 2 * rounds + 2 * rounds / 3);
    assertEquals(2 * rounds, answered.get());
    assertEquals(2 * rounds / 3, refused.get());
    assertLinkLives();
  }

  @Test
  void theOwnersOwnAtomicsAreRefusedWhereADeviceExecutesThem() throws Exception {
    OwnedRegion byDevice = owner.share("by device", 64, ATOMIC);
    assertFails(Reason.UNSUPPORTED, byDevice.fetchAndAdd(0, 1), "by device", "setOwnerAtomics");
    OwnedRegion byOwner = owner.share(new RegionOptions().setName("by owner").setSize(64).setAccess(ATOMIC).setOwnerAtomics(true));
    assertEquals(0, await(byOwner.fetchAndAdd(0, 3)));
    assertEquals(3, await(near.open(byOwner).fetchAndAdd(0, 1)));
    assertTrue(await(byOwner.compareAndSet(0, 4, 9)));
  }
}
