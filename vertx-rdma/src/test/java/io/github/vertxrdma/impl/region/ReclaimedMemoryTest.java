package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingRegion;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reclaimed memory moves away from a process that did not unmap it, and no device has the pages that it leaves. */
@Timeout(60)
class ReclaimedMemoryTest {
  private final Vertx vertx = Vertx.vertx();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final CountDownLatch moves = new CountDownLatch(1);
  private final Domain home = new Noting("home", false).open();
  private final Domain pinning = new Noting("pinning", true).open();
  private final RegionMemory memory = RegionMemory.allocate(new EventLoopHost(((VertxInternal) vertx).createEventLoopContext()), "region",
    home,
    Set.of(Access.REMOTE_READ), 4096, null);

  @AfterEach
  void close() throws Exception {
    moves.countDown();
    await(memory.close("region"));
    home.close();
    pinning.close();
    await(vertx.close());
  }

  private Future<MemoryRegion> pin() {
    memory.retain();
    return memory.local(pinning, new Registrations()).onComplete(done -> memory.release());
  }

  @Test
  void noDevicePinsItWhileItMoves() throws Exception {
    Future<Void> reclaimed = memory.reclaim("region", false);
    until("it is about to move", () -> events.equals(List.of("moves true")));
    Future<MemoryRegion> pinned = pin();
    await(vertx.executeBlocking(() -> null, false));
    assertFalse(pinned.isComplete(), "it waits");
    moves.countDown();
    await(reclaimed);
    await(pinned);
    assertEquals(List.of("moves true", "moved", "pinned"), events);
  }

  @Test
  void pinnedMemoryStays() throws Exception {
    moves.countDown();
    await(pin());
    await(memory.reclaim("region", false));
    assertEquals(List.of("pinned", "moves false", "moved"), events);
  }

  @Test
  void closeIsRetriedWhenItsAttemptEndsOffTheLoop() throws Exception {
    LoopHost loop = new EventLoopHost(((VertxInternal) vertx).createEventLoopContext());
    LoopHost host = (LoopHost) Proxy.newProxyInstance(LoopHost.class.getClassLoader(), new Class<?>[] {LoopHost.class},
      (proxy, method, args) -> {
        if (!method.getName().equals("blocking")) {
          return method.invoke(loop, args);
        }
        try {
          return Future.succeededFuture(((Callable<?>) args[0]).call());
        } catch (Exception e) {
          return Future.failedFuture(e);
        }
      });
    RegionMemory busy = RegionMemory.of(host, Arena.ofAuto().allocate(16));
    AtomicInteger attempts = new AtomicInteger();
    Domain refusing = new Noting("refusing", true) {
      @Override
      MemoryRegion registered(MemoryRegion raw) {
        return new ForwardingRegion(raw) {
          @Override
          public void close() {
            super.close();
            if (attempts.incrementAndGet() == 1) {
              throw new IllegalStateException("a thread is in a call with the segment");
            }
          }
        };
      }
    }.open();
    busy.retain();
    await(busy.local(refusing, new Registrations()));
    busy.release();
    await(busy.close("busy"));
    assertEquals(1, attempts.get());
    refusing.close();
  }

  private class Noting extends ForwardingDevice {
    Noting(String name, boolean pins) {
      super(InMemoryFabric.create(name, InMemoryFabric.CAPABILITIES.toBuilder().pinned(pins).build(), InMemoryFabric.LIMITS).device(),
        name);
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        @Override
        public boolean reclaim(MemorySegment segment, boolean movable) {
          events.add("moves " + movable);
          try {
            moves.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          events.add("moved");
          return true;
        }

        @Override
        public MemoryRegion register(MemorySegment segment, Set<Access> access) {
          events.add("pinned");
          return registered(super.register(segment, access));
        }
      };
    }

    MemoryRegion registered(MemoryRegion raw) {
      return raw;
    }
  }
}
