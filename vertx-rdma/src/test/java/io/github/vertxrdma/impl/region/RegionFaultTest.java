package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RegionFaultTest extends RegionPair {
  /** Makes the loop allocate its staging memory, so that a later write is posted in the turn in which its time begins. */
  private static void allocateStaging(RemoteRegion region) throws Exception {
    await(region.write(100, Buffer.buffer(new byte[1])));
  }

  @Test
  void memoryOfATimedOutOperationIsNotUsedAgainBeforeItCompletes() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ, WRITE);
    RemoteRegion patient = near.open(region);
    RemoteRegion remote = patient.withTimeout(Duration.ofMillis(100));
    allocateStaging(patient);
    device.hold(true);
    Buffer into = Buffer.buffer(new byte[8]);
    Future<Buffer> read = remote.read(0, into, 0, 8);
    Future<Void> write = remote.write(100, Buffer.buffer("late"));
    assertFalse(assertFails(Reason.TIMEOUT, read, "'table'", "100 ms").isEffectUnknown());
    assertTrue(assertFails(Reason.TIMEOUT, write, "unknown").isEffectUnknown());
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
    await(patient.read(0, local, 0, 10));
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
    allocateStaging(patient);
    device.hold(true);
    List<Future<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      writes.add(remote.write(i, Buffer.buffer(new byte[] {1})));
    }
    for (Future<Void> write : writes) {
      assertFails(Reason.TIMEOUT, write);
    }
    int posted = device.held();
    assertTrue(posted > 0 && posted < 400, posted + " were posted");
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
      // The answers arrive while this loop stands still for longer than the time limit.
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(900);
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    });
    assertEquals(2, await(got.future()).size());
  }

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
    assertFails(Reason.CONNECTION_LOST, read, "'table'", "its owner's process has ended");
    assertFails(Reason.CONNECTION_LOST, write, "unknown");
    assertFails(Reason.CONNECTION_LOST, add, "unknown");
    assertFails(Reason.CONNECTION_LOST, remote.read(0, 1));
    until("the application was told", () -> told.equals(List.of(RegionEnd.CONNECTION_LOST)));
    await(remote.close());
    device.drop();
  }

  @Test
  void aNotifiedWriteThatBeginsAsItsLinkEndsKeepsNoKey() throws Exception {
    RemoteRegion remote = near.open(owner.share("table", 1 << 20, READ, WRITE));
    int keys = device.keys();
    device.hold(true);
    Future<Void> first = remote.writeNotify(0, Buffer.buffer(new byte[1 << 20]), 1);
    Future<Void> second = remote.writeNotify(0, Buffer.buffer(new byte[16 << 10]), 2);
    until("the first is posted", () -> device.held() > 0);
    near.die("its process ended");
    assertFails(Reason.CONNECTION_LOST, first, "its owner's process has ended");
    assertFails(Reason.CONNECTION_LOST, second, "its owner's process has ended");
    device.drop();
    until("their key is let go", () -> device.keys() == keys - 1);
  }

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
