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
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An owner that is slow: its handler, its workers, or a call of its application with the memory. */
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

  /** An application that runs its handlers when it is told to. */
  private static final class BusyCaller implements Caller {
    final Queue<Runnable> tasks = new ArrayDeque<>();

    @Override
    public <T> Promise<T> promise() {
      return Promise.promise();
    }

    @Override
    public <T> void emit(T event, Handler<T> handler) {
      tasks.add(() -> handler.handle(event));
    }
  }

  @Test
  void notificationsOfAHandlerThatIsBusyAreBounded() {
    BusyCaller busy = new BusyCaller();
    OwnedRegion region = world.now(world.registry.share(busy, new RegionOptions().setName("busy").setSize(LARGE).setAccess(RegionAccess.values()),
      List.of(world.domain)));
    Queue<Long> heard = new ArrayDeque<>();
    region.notificationHandler(notification -> heard.add(notification.tag()));
    for (int i = 1; i < MOST; i++) {
      region.notified(new RegionNotification(Kind.WRITTEN, 0, 8, 0, "many"));
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

  /** A peer that kept the key could use it until a worker has seen to it. */
  @Test
  void aGrantThatWasGivenBackIsTakenBackOnlyWhenItsKeyIsGone() {
    RawPeer peer = world.peer("raw");
    OwnedRegion scratch = world.now(world.registry.share(Caller.DIRECT, new RegionOptions().setSize(64), List.of()));
    Future<RegionGrant> granted = world.ends.getLast().peer.grant(Caller.DIRECT, scratch, Set.of(RegionAccess.WRITE), null);
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

  /** Memory that a thread is using cannot be freed, and later it can. */
  @Test
  void aCloseThatFailedIsDoneAgain() throws Exception {
    OwnedRegion region = world.share("written", 1 << 20, RegionAccess.READ);
    region.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 7);
    Queue<String> told = new ArrayDeque<>();
    region.whenClosed(() -> told.add("closed"));
    Pipe pipe = Pipe.open();
    Thread writer = Thread.ofPlatform().start(() -> {
      try {
        ByteBuffer from = region.segment().asByteBuffer();
        // A signal may end a call early.
        while (from.hasRemaining()) {
          pipe.sink().write(from);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
    // It is in the middle of the call from its first byte on, since a pipe does not take all of it.
    pipe.source().read(bytes.limit(1));
    Future<Void> closed = region.close();
    for (int i = 0; i < 600 && !closed.isComplete(); i++) {
      world.settle();
    }
    assertTrue(closed.failed(), () -> closed + " while the writer is " + writer.getState());
    RdmaException failure = (RdmaException) closed.cause();
    assertEquals(Reason.TIMEOUT, failure.reason());
    assertTrue(failure.getMessage().contains("'written'") && failure.getMessage().contains("close the region again"), failure.getMessage());
    assertEquals(List.of(), List.copyOf(told));

    bytes.limit(bytes.capacity());
    while (bytes.hasRemaining()) {
      pipe.source().read(bytes);
    }
    writer.join();
    world.now(region.close());
    assertEquals(7, bytes.get(0));
    assertEquals(List.of("closed"), List.copyOf(told));
    pipe.sink().close();
    pipe.source().close();
  }
}
