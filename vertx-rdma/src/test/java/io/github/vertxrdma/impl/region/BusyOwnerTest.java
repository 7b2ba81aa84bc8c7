package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionNotification.Kind;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BusyOwnerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int MOST = 65536;
  private static final int LARGE = 64 << 10;

  private final RegionWorld world = new RegionWorld();

  @AfterEach
  void othersGoOn() {
    world.assertHonest();
    world.close();
  }

  @Test
  void notificationsOfAHandlerThatIsBusyAreBounded() {
    BusyCaller busy = new BusyCaller();
    OwnedRegion region = world
      .now(world.registry.share(busy, new RegionOptions().setName("busy").setSize(LARGE).setAccess(RegionAccess.values()), null,
        List.of(world.domain)));
    Queue<Long> heard = new ArrayDeque<>();
    region.notificationHandler(notification -> heard.add(notification.tag()));
    for (int i = 1; i < MOST; i++) {
      region.notified(new RegionNotification(region, Kind.WRITTEN, 0, 8, 0, "many"));
    }
    RemoteRegion used = world.use(region);
    world.now(used.writeNotify(0, word(1), 1));
    assertEquals(MOST, busy.tasks.size());

    assertFalse(refused(used.writeNotify(0, word(2), 2)).isEffectUnknown());
    assertEquals(1, world.now(used.read(0, 8)).getLong(0), "a write was refused, and changed the memory");
    assertFalse(refused(used.readNotify(0, 8, 3)).isEffectUnknown());
    assertTrue(refused(used.writeNotify(0, Buffer.buffer(new byte[LARGE]), 4)).isEffectUnknown(), "its bytes were written first");
    assertEquals(MOST, busy.tasks.size());

    busy.tasks.remove().run();
    world.now(used.writeNotify(0, word(5), 5));
    busy.tasks.forEach(Runnable::run);
    assertEquals(List.of(1L, 5L), heard.stream().filter(tag -> tag > 0).toList());
  }

  private RdmaException refused(Future<?> call) {
    world.settle();
    RdmaException failure = (RdmaException) call.cause();
    assertEquals(Reason.LIMIT, failure.reason());
    assertTrue(failure.getMessage().contains("'busy'") && failure.getMessage().contains("65536 notifications"), failure.getMessage());
    return failure;
  }

  private static Buffer word(long value) {
    return Buffer.buffer().appendLong(value);
  }

  @Test
  void aGrantThatWasGivenBackIsTakenBackOnlyWhenItsKeyIsGone() {
    RawPeer peer = world.peer("raw");
    OwnedRegion scratch = world.now(world.registry.share(DirectCaller.INSTANCE, new RegionOptions().setSize(64), null, List.of()));
    Future<RegionGrant> granted = world.ends.getLast().peer.grant(DirectCaller.INSTANCE, scratch, Set.of(RegionAccess.WRITE), null);
    world.settle();
    RawPeer.Received offer = world.last(peer, RegionFrames.GRANT);
    peer.send(RegionFrames.REPLY, RegionFrames.OK, offer.a(), 0, RegionWorld.NONE);
    RegionGrant grant = world.now(granted);

    world.registrar.stop();
    peer.send(RegionFrames.CLOSE, 0, 0, RegionDescription.decode(offer.payload()).handle(), RegionWorld.NONE);
    world.settle();
    assertEquals(List.of(), scratch.holders());
    Future<Void> one = grant.revoke(SECOND);
    Future<Void> all = scratch.revoke(SECOND);
    world.settle();
    assertFalse(one.isComplete(), "the grant's key may be registered");
    assertFalse(all.isComplete(), "a key of the region may be registered");
    world.registrar.resume();
    world.now(one);
    world.now(all);
    assertNull(peer.over());
  }

  /** A call of qsort(3) with memory, whose comparator waits. */
  private static final class NativeCall {
    final CompletableFuture<Void> inside = new CompletableFuture<>();
    final CompletableFuture<Void> out = new CompletableFuture<>();

    int compare(MemorySegment one, MemorySegment other) {
      inside.complete(null);
      out.join();
      return 0;
    }

    void run(MemorySegment memory) {
      FunctionDescriptor comparator = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
      Linker linker = Linker.nativeLinker();
      try (Arena arena = Arena.ofConfined()) {
        MethodHandle compare = MethodHandles.lookup().bind(this, "compare",
          MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
        MethodHandle sort = linker.downcallHandle(linker.defaultLookup().findOrThrow("qsort"),
          FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        sort.invokeExact(memory, 2L, (long) Long.BYTES, linker.upcallStub(compare, comparator, arena));
      } catch (Throwable t) {
        inside.completeExceptionally(t);
      }
    }
  }

  @Test
  void aCloseThatFailedIsDoneAgain() throws Exception {
    OwnedRegion region = world.share("sorted", 64, RegionAccess.READ);
    Queue<String> told = new ArrayDeque<>();
    region.whenClosed(() -> told.add("closed"));
    NativeCall call = new NativeCall();
    Thread thread = Thread.ofPlatform().daemon().start(() -> call.run(region.segment()));
    call.inside.join();
    Future<Void> closed = region.close();
    world.time.pass(TimeUnit.MINUTES.toNanos(5));
    RdmaException failure = (RdmaException) closed.cause();
    assertEquals(Reason.TIMEOUT, failure.reason());
    assertTrue(failure.getMessage().contains("'sorted'") && failure.getMessage().contains("close the region again"), failure.getMessage());
    assertEquals(List.of(), List.copyOf(told));

    call.out.complete(null);
    thread.join();
    world.now(region.close());
    assertEquals(List.of("closed"), List.copyOf(told));
  }
}
