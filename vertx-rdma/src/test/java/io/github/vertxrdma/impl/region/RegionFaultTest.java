package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Misuse, death and silence around remote memory. */
@Timeout(60)
class RegionFaultTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final InMemoryFabric fabric = InMemoryFabric.create("faults", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final HoldingDevice device = new HoldingDevice(fabric.device());
  private TestNode owner;
  private TestNode user;
  private TestNode.End near;
  private TestNode.End far;

  @BeforeEach
  void start() throws Exception {
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, device);
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, device);
    TestNode.End[] ends = user.connect(owner, 0);
    near = ends[0];
    far = ends[1];
  }

  @AfterEach
  void stop() throws Exception {
    user.close();
    owner.close();
    await(vertx.close());
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  private void assertLinkLives() throws Exception {
    OwnedRegion other = owner.share("still here", 64, READ);
    assertEquals(64, await(near.open(other).read(0, 64)).length());
    await(other.close());
  }

  // ---- misuse

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
    assertFails(Reason.OUT_OF_RANGE, all.fetchAndAdd(4, 1), "multiples of 8");
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

  @Test
  void aForgedHandleDoesNothing() throws Exception {
    OwnedRegion region = owner.share("table", 64, READ, WRITE, ATOMIC);
    AtomicInteger notified = new AtomicInteger();
    region.notificationHandler(n -> notified.incrementAndGet());
    near.open(region);
    near.link.loop().eventLoop().execute(() -> {
      near.link.sendFrame(RegionFrames.NOTIFY, 0, 1L << 40, 4711, RegionFrames.words(0, 8, 1));
      near.link.sendFrame(RegionFrames.ATOMIC, 0, 1L << 41, 4711, RegionFrames.words(0, 8, 1));
      near.link.sendFrame(RegionFrames.CLOSE, 0, 0, 4711, null);
    });
    assertLinkLives();
    assertEquals(0, notified.get());
    assertEquals(0, region.getAcquire(0));
    assertEquals(1, region.holders().size());
  }

  /** The initiator checks too, so this peer does not. @return the owner's answer to a notified write of 8 bytes in its notification */
  private Throwable carried(OwnedRegion region, long offset) throws Exception {
    return carried((RemoteRegionImpl) near.open(region), offset);
  }

  private Throwable carried(RemoteRegionImpl remote, long offset) throws Exception {
    Promise<Void> promise = Promise.promise();
    near.peer.execute(() -> remote.writeInline(offset, Buffer.buffer("12345678"), 7, promise));
    return promise.future().transform(done -> Future.succeededFuture(done.cause())).toCompletionStage().toCompletableFuture()
      .get(20, TimeUnit.SECONDS);
  }

  @Test
  void theOwnerChecksWhatANotificationCarries() throws Exception {
    AtomicInteger notified = new AtomicInteger();
    OwnedRegion table = owner.share("table", 64, READ, WRITE);
    OwnedRegion locked = owner.share("locked", 64, READ);
    table.notificationHandler(n -> notified.incrementAndGet());
    locked.notificationHandler(n -> notified.incrementAndGet());
    for (long offset : new long[] {57, 64, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      RdmaException refusal = (RdmaException) carried(table, offset);
      assertEquals(Reason.OUT_OF_RANGE, refusal.reason(), refusal.getMessage());
      assertTrue(refusal.getMessage().contains("'table'"), refusal.getMessage());
    }
    assertEquals(Reason.ACCESS_DENIED, ((RdmaException) carried(locked, 0)).reason());
    assertEquals(0, notified.get());
    assertEquals(-1, locked.segment().mismatch(MemorySegment.ofArray(new byte[64])));
    assertEquals(-1, table.segment().mismatch(MemorySegment.ofArray(new byte[64])));
    RemoteRegionImpl givenBack = (RemoteRegionImpl) near.open(table);
    near.peer.execute(() -> near.link.sendFrame(RegionFrames.CLOSE, 0, 0, givenBack.lease.description.handle(), null));
    assertEquals(Reason.REVOKED, ((RdmaException) carried(givenBack, 0)).reason());
    assertNull(carried(table, 56));
    until("the handler ran", () -> notified.get() == 1);
    assertLinkLives();
  }

  @Test
  void confirmationsOfNothingAreCutOff() throws Exception {
    far.peer.execute(() -> far.link.sendFrame(RegionFrames.NOTIFIED, 0, 1, 0, null));
    RdmaException cause = (RdmaException) near.closed.get(20, TimeUnit.SECONDS);
    assertEquals(Reason.PROTOCOL, cause.reason());
    assertTrue(cause.getMessage().contains("NOTIFIED") && cause.getMessage().contains("owner"), cause.getMessage());
  }

  /** Their confirmations go with what the other side writes, or alone, and refusals between them. */
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
          bad.future().onComplete(done -> (done.succeeded() ? answered : refused).incrementAndGet());
        }
      }
    }
    until("all are answered", () -> answered.get() + refused.get() == 2 * rounds + 2 * rounds / 3);
    assertEquals(2 * rounds, answered.get());
    assertLinkLives();
  }

  @Test
  void aShortNotifiedWriteThatCarriesNothingElseIsCutOff() throws Exception {
    near.link.loop().eventLoop().execute(() -> near.link.sendFrame(RegionFrames.WRITE_NOTIFY, 0, 1, 2, new byte[15]));
    RdmaException cause = (RdmaException) far.closed.get(20, TimeUnit.SECONDS);
    assertEquals(Reason.PROTOCOL, cause.reason());
    assertTrue(cause.getMessage().contains("WRITE_NOTIFY") && cause.getMessage().contains("user"), cause.getMessage());
  }

  @Test
  void aPeerThatBreaksTheProtocolIsCutOff() throws Exception {
    near.link.loop().eventLoop().execute(() -> near.link.sendFrame(RegionFrames.ATOMIC, 0, 1, 2, new byte[5]));
    RdmaException cause = (RdmaException) far.closed.get(20, TimeUnit.SECONDS);
    assertEquals(Reason.PROTOCOL, cause.reason());
    assertTrue(cause.getMessage().contains("ATOMIC") && cause.getMessage().contains("user"), cause.getMessage());
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

  // ---- time

  @Test
  void memoryOfATimedOutOperationIsNotUsedAgainBeforeItCompletes() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ, WRITE);
    RemoteRegion patient = near.open(region);
    RemoteRegion remote = patient.withTimeout(Duration.ofMillis(100));
    device.hold(true);
    Buffer into = Buffer.buffer(new byte[8]);
    Future<Void> read = remote.read(0, into, 0, 8);
    Future<Void> write = remote.write(100, Buffer.buffer("late"));
    assertFails(Reason.TIMEOUT, read, "'table'", "100 ms");
    assertFails(Reason.TIMEOUT, write, "unknown");
    assertEquals(2, device.held());
    device.hold(false);
    region.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 0x1111111111111111L);
    List<Future<Buffer>> reads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      reads.add(patient.read(8, 1024));
    }
    await(Future.all(reads));
    assertEquals(0, device.reused());
    device.release();
    until("the late ones are over", () -> device.held() == 0);
    await(patient.read(0, 8));
    assertEquals(0, into.getLong(0), "a buffer of the application was changed after its time");
  }

  @Test
  void localMemoryLivesAsLongAsTheFabricOwnsIt() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ);
    OwnedRegion local = user.share(new RegionOptions().setSize(4096));
    RemoteRegion patient = near.open(region);
    RemoteRegion remote = patient.withTimeout(Duration.ofMillis(100));
    await(remote.read(0, local, 0, 10));
    device.hold(true);
    assertFails(Reason.TIMEOUT, remote.read(0, local, 0, 4096));
    Future<Void> closed = local.close();
    device.hold(false);
    await(patient.read(0, 100));
    assertFalse(closed.isComplete());
    assertFails(Reason.CLOSED, patient.read(0, local, 0, 10));
    assertEquals(0, local.segment().get(ValueLayout.JAVA_BYTE, 0));
    device.release();
    await(patient.read(0, 100));
    await(closed);
  }

  @Test
  void operationsThatWereNotPostedWhenTheirTimeWasUpNeverAre() throws Exception {
    OwnedRegion region = owner.share("table", 1 << 20, READ, WRITE);
    RemoteRegion patient = near.open(region);
    RemoteRegion remote = patient.withTimeout(Duration.ofMillis(200));
    device.hold(true);
    List<Future<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      writes.add(remote.write(i, Buffer.buffer(new byte[] {1})));
    }
    for (Future<Void> write : writes) {
      assertFails(Reason.TIMEOUT, write);
    }
    int posted = device.held();
    assertTrue(posted < 400, "all were posted");
    device.release();
    until("the posted ones are over", () -> device.held() == 0);
    await(patient.read(0, 1));
    long changed = 0;
    for (int i = 0; i < 400; i++) {
      changed += region.segment().get(ValueLayout.JAVA_BYTE, i);
    }
    assertEquals(posted, changed);
  }

  @Test
  void anOpenThatIsAnsweredTooLateIsGivenBack() throws Exception {
    OwnedRegion region = owner.share("table", 64, READ);
    user.timeoutMillis = 100;
    TestNode.End hasty = user.connect(owner, 0)[0];
    CountDownLatch stands = new CountDownLatch(1);
    CountDownLatch standing = new CountDownLatch(1);
    owner.loops.getFirst().eventLoop().execute(() -> {
      stands.countDown();
      try {
        standing.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    assertTrue(stands.await(20, TimeUnit.SECONDS));
    assertFails(Reason.TIMEOUT, hasty.tryOpen(region.id()), "owner", "100 ms");
    standing.countDown();
    near.open(region);
    until("only the one that came in time holds it", () -> region.holders().size() == 1);
    await(region.close());
  }

  @Test
  void aPauseOfThisProcessIsNobodysTimeout() throws Exception {
    RemoteRegion remote = near.open(owner.share("table", 64, READ, ATOMIC)).withTimeout(Duration.ofMillis(300));
    Promise<List<Object>> got = Promise.promise();
    near.link.loop().eventLoop().execute(() -> {
      Future.all(remote.read(0, 8), remote.fetchAndAdd(0, 1)).map(CompositeFuture::list).onComplete(got);
      // The answers come while this loop stands still for longer than they may take.
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(900);
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    });
    assertEquals(2, await(got.future()).size());
  }

  // ---- death

  @Test
  void aPeerThatDiesFailsWhatIsUnderWay() throws Exception {
    OwnedRegion region = owner.share("table", 1 << 20, READ, WRITE, ATOMIC);
    RemoteRegion remote = near.open(region);
    List<RegionEnd> told = new CopyOnWriteArrayList<>();
    remote.closeHandler(told::add);
    device.hold(true);
    Future<Buffer> read = remote.read(0, 1 << 20);
    Future<Void> write = remote.write(0, Buffer.buffer("abc"));
    Future<Long> add = remote.fetchAndAdd(0, 1);
    until("they are posted", () -> device.held() >= 3);
    near.die("its process ended");
    assertFails(Reason.CONNECTION_LOST, read, "'table'", "owner", "its process ended");
    assertFails(Reason.CONNECTION_LOST, write, "unknown");
    assertFails(Reason.CONNECTION_LOST, add, "unknown");
    assertFails(Reason.CONNECTION_LOST, remote.read(0, 1));
    until("the application was told", () -> told.equals(List.of(RegionEnd.CONNECTION_LOST)));
    await(remote.close());
    device.drop();
  }

  /** The fabric may keep what was under way to them for as long as its endpoint is open. */
  @Test
  void operationsToPeersThatDiedLeaveMemoryForOthers() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ, WRITE);
    for (int peer = 1; peer <= 10; peer++) {
      TestNode.End end = user.connect(owner, 0)[0];
      RemoteRegion remote = end.open(region);
      device.hold(true);
      List<Future<Void>> writes = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        writes.add(remote.write(i, Buffer.buffer("a")));
      }
      int all = 16 * peer;
      until("they are posted", () -> device.held() == all);
      end.die("its process ended");
      for (Future<Void> write : writes) {
        assertFails(Reason.CONNECTION_LOST, write);
      }
      device.hold(false);
    }
    await(near.open(region).write(0, Buffer.buffer("b")));
    assertEquals(0, device.reused());
    device.drop();
  }

  @Test
  void aHolderThatDiesIsForgotten() throws Exception {
    OwnedRegion region = owner.share("table", 64, READ);
    near.open(region);
    assertEquals(1, region.holders().size());
    near.link.loop().eventLoop().execute(() -> near.link.fail(new RdmaException(Reason.OTHER, "broken on purpose")));
    until("it is forgotten", () -> region.holders().isEmpty());
    await(region.revoke(Duration.ofMillis(20_000)));
  }

  // ---- taking back

  @Test
  void anOwnerThatClosesUnderTrafficBreaksNothingElse() throws Exception {
    TestNode.End second = user.connect(owner, 0)[0];
    OwnedRegion region = owner.share("table", 1 << 20, READ, WRITE, ATOMIC);
    List<RemoteRegion> remotes = List.of(near.open(region), second.open(region));
    AtomicInteger revoked = new AtomicInteger();
    List<Future<?>> ends = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    for (RemoteRegion remote : remotes) {
      remote.closeHandler(v -> revoked.incrementAndGet());
      for (int i = 0; i < 8; i++) {
        int kind = i;
        ends.add(traffic(remote, kind, done));
      }
    }
    until("traffic flows", () -> done.get() > 500);
    await(region.close());
    for (Future<?> end : ends) {
      assertFails(Reason.REVOKED, end, "'table'");
    }
    until("both were told", () -> revoked.get() == 2);
    assertFalse(near.closed.isDone());
    assertFalse(second.closed.isDone());
    assertLinkLives();
  }

  private static Future<?> traffic(RemoteRegion remote, int kind, AtomicInteger done) {
    Future<?> one = switch (kind % 4) {
      case 0 -> remote.read(0, 700_000);
      case 1 -> remote.write(8, Buffer.buffer(new byte[600_000]));
      case 2 -> remote.writeNotify(16, Buffer.buffer("note"), 1);
      default -> remote.fetchAndAdd(0, 1);
    };
    return one.compose(v -> {
      done.incrementAndGet();
      return traffic(remote, kind, done);
    });
  }

  @Test
  void aHolderThatDoesNotGiveBackIsCutOff() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ);
    RemoteRegion remote = near.open(region);
    device.hold(true);
    Future<Buffer> stuck = remote.read(0, 100);
    until("it is posted", () -> device.held() == 1);
    Future<Void> revoked = region.revoke(Duration.ofMillis(200));
    await(revoked);
    RdmaException cause = (RdmaException) far.closed.get(20, TimeUnit.SECONDS);
    assertEquals(Reason.TIMEOUT, cause.reason());
    assertTrue(cause.getMessage().contains("'table'") && cause.getMessage().contains("200 ms"), cause.getMessage());
    assertFails(Reason.CONNECTION_LOST, stuck);
    // It stays stuck: its memory is freed with the queue.
  }

  @Test
  void aHolderGivesBackWhenItsOperationsAreOver() throws Exception {
    OwnedRegion region = owner.share("table", 1 << 20, READ);
    RemoteRegion remote = near.open(region);
    Future<Buffer> read = remote.read(0, 1 << 20);
    Future<Void> closed = remote.close();
    assertEquals(1 << 20, await(read).length());
    await(closed);
    until("the owner knows", () -> region.holders().isEmpty());
    assertFails(Reason.CLOSED, remote.read(0, 1), "closed by this side");
    await(remote.close());
    await(region.close());
    MemoryRegion again = region;
    await(again.close());
  }
}
