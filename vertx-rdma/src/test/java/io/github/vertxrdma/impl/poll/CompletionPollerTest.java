package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.poll.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("polling")
class CompletionPollerTest {
  private static final int ROUNDS = Boolean.getBoolean("vertx.rdma.test.full") ? 20_000 : 5_000;
  private Vertx vertx;

  static Stream<Arguments> loops() {
    return Stream.of(Waiting.values()).flatMap(w -> TestLoops.kinds().map(kind -> Arguments.of(w, kind)));
  }

  private EventLoop loop(String kind) {
    vertx = TestLoops.vertx(kind);
    return TestLoops.loop(vertx);
  }

  @AfterEach
  void close() {
    if (vertx != null) {
      join(vertx.close());
    }
  }

  private static final class Counting implements CompletionHandler {
    final Semaphore arrived = new Semaphore(0);
    final AtomicLong turns = new AtomicLong();
    volatile Throwable failure;
    private long expected;

    @Override
    public void completions(CompletionBatch batch) {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.requestId(i) != expected++) {
          failure = new AssertionError("got " + batch.requestId(i) + " in place of " + (expected - 1));
        }
      }
      arrived.release(batch.size());
    }

    @Override
    public void turnEnd() {
      turns.lazySet(turns.getPlain() + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void eachCompletionArrivesThoughTheLoopSleepsBetween(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, handler));
      int rounds = waiting == Waiting.NONE && !kind.startsWith("busy") ? 200 : ROUNDS;
      for (int i = 0; i < rounds; i++) {
        queue.offer(i);
        assertTrue(handler.arrived.tryAcquire(20, TimeUnit.SECONDS), "completion " + i + " never arrived");
      }
      assertEquals(null, handler.failure);
      join(poller.detach());
      long turns = handler.turns.get();
      queue.offer(rounds);
      loop.submit(() -> {
      }).sync();
      loop.submit(() -> {
      }).sync();
      assertEquals(turns, handler.turns.get(), "turns after detach");
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void pollsThatFailAFewTimesLoseNoCompletion(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, handler));
      long polls = queue.polls.get();
      queue.failures.set(CompletionPoller.MOST_FAILURES - 1);
      queue.offer(0);
      loop.submit(poller::wake).sync();
      Await.until("it is polled again", () -> queue.failures.get() == 0 && queue.polls.get() > polls);
      Await.until("the completion is delivered", () -> handler.arrived.tryAcquire());
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void anErrorInAPollLeavesTheLoop(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      AtomicReference<Throwable> told = new AtomicReference<>();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, new CompletionHandler() {
        @Override
        public void completions(CompletionBatch batch) {
          // The first poll may precede the error.
        }

        @Override
        public void turnEnd() {
          // No completions were collected.
        }

        @Override
        public void failed(Throwable cause) {
          told.set(cause);
        }
      }));
      queue.failing = new InternalError("a fault in a memory access");
      loop.submit(poller::wake).sync();
      Await.until("it is told", () -> told.get() == queue.failing);
      loop.submit(() -> {
      }).sync();
      loop.schedule(() -> {
      }, 1, TimeUnit.MILLISECONDS).sync();
      join(poller.detach());
    }
  }

  private static void await(FakeQueue queue, boolean sleeps) {
    while (sleeps && !queue.isArmed()) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void aLoopThatPolledForLongSleepsAndIsWoken(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, handler));
      int next = 0;
      for (int round = 0; round < 3; round++) {
        loop.submit(() -> poller.busy(1)).sync();
        for (int i = 0; i < 1000; i++) {
          queue.offer(next++);
          assertTrue(handler.arrived.tryAcquire(20, TimeUnit.SECONDS), "completion " + next + " never arrived");
        }
        loop.submit(() -> poller.busy(-1)).sync();
        await(queue, waiting != Waiting.NONE && !kind.startsWith("busy"));
        queue.offer(next++);
        assertTrue(handler.arrived.tryAcquire(20, TimeUnit.SECONDS), "asleep since round " + round);
      }
      assertEquals(null, handler.failure);
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void aQueueThatSleptWhileTheLoopPolledAnotherIsWoken(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue sleeper = new FakeQueue(waiting); FakeQueue other = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      Counting others = new Counting();
      CompletionPoller poller = TestLoops.attachUntimed(loop, sleeper, handler);
      CompletionPoller busy = join(CompletionPoller.attach(loop, other, Progress.AUTOMATIC, others));
      boolean sleeps = waiting != Waiting.NONE && !kind.startsWith("busy");
      for (int round = 0; round < 3; round++) {
        await(sleeper, sleeps);
        loop.submit(() -> busy.busy(1)).sync();
        for (int i = 0; i < 1000; i++) {
          other.offer(1000 * round + i);
          assertTrue(others.arrived.tryAcquire(20, TimeUnit.SECONDS), "completion " + i + " never arrived");
        }
        loop.submit(() -> busy.busy(-1)).sync();
        await(other, sleeps);
        sleeper.offer(round);
        if (!sleeps) {
          loop.submit(poller::wake).sync();
        }
        assertTrue(handler.arrived.tryAcquire(20, TimeUnit.SECONDS), "asleep since round " + round);
      }
      assertEquals(null, handler.failure);
      join(poller.detach());
      join(busy.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void tasksOfACompletionRunBeforeTheQueueIsPolledAgain(Waiting waiting, String kind) throws Exception {
    polledOnceForACompletion(waiting, kind, (queue, poller) -> queue.offer(1));
  }

  static Stream<Arguments> sleepingLoops() {
    return loops().filter(loop -> !loop.get()[1].toString().startsWith("busy"));
  }

  @ParameterizedTest
  @MethodSource("sleepingLoops")
  @Timeout(60)
  void tasksRunBeforeTheNextPollWhenACompletionComesAsTheLoopGoesToSleep(Waiting waiting, String kind) throws Exception {
    polledOnceForACompletion(waiting, kind, (queue, poller) -> {
      queue.onArm.set(() -> queue.offer(1));
      poller.eventLoop().execute(poller::wake);
    });
  }

  private void polledOnceForACompletion(Waiting waiting, String kind, BiConsumer<FakeQueue, CompletionPoller> complete) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      AtomicLong between = new AtomicLong(-1);
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.onBatch(batch -> {
        long polls = queue.polls.get();
        loop.execute(() -> between.set(queue.polls.get() - polls));
      })));
      complete.accept(queue, poller);
      Await.until("the task has run", () -> between.get() >= 0);
      // A stock loop polls once more before it sleeps.
      assertTrue(between.get() <= (TestLoops.isStock(kind) ? 1 : 0), between + " polls");
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void burstsArriveWhole(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.MANUAL, handler));
      int next = 0;
      for (int burst = 0; burst < 20; burst++) {
        for (int i = 0; i < 3 * CompletionPoller.TURN; i++) {
          queue.offer(next++);
        }
        assertTrue(handler.arrived.tryAcquire(3 * CompletionPoller.TURN, 20, TimeUnit.SECONDS), "burst " + burst);
      }
      assertEquals(null, handler.failure);
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void timersAndSocketsRunWhileAQueueFloods(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      AtomicLong flood = new AtomicLong();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.onBatch(
        batch -> flood.addAndGet(batch.size()))));
      ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
      Semaphore ticks = new Semaphore(0);
      Semaphore echoes = new Semaphore(0);
      NetClient client = vertx.createNetClient();
      context.runOnContext(v -> {
        vertx.setPeriodic(2, id -> ticks.release());
        vertx.createNetServer().connectHandler(s -> s.handler(s::write)).listen(0, "127.0.0.1")
          .compose(server -> client.connect(server.actualPort(), "127.0.0.1"))
          .onSuccess(s -> {
            s.handler(b -> {
              echoes.release();
              s.write(b);
            });
            s.write(Buffer.buffer("x"));
          });
      });
      queue.endless = true;
      queue.offer(0);
      assertTrue(echoes.tryAcquire(5, 20, TimeUnit.SECONDS), "sockets starve");
      long before = flood.get();
      ticks.drainPermits();
      assertTrue(ticks.tryAcquire(50, 20, TimeUnit.SECONDS), "timers starve");
      assertTrue(echoes.tryAcquire(100, 20, TimeUnit.SECONDS), "sockets starve");
      assertTrue(flood.get() > before, "the flood stopped");
      join(client.close());
      queue.endless = false;
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void wakeEndsATurnSoonButNotWithinTheCall(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, handler));
      loop.submit(() -> {
      }).sync();
      long[] seen = new long[2];
      loop.submit(() -> {
        seen[0] = handler.turns.get();
        poller.wake();
        poller.wake();
        seen[1] = handler.turns.get();
      }).sync();
      while (handler.turns.get() == seen[0]) {
        Thread.onSpinWait();
      }
      assertEquals(seen[0], seen[1], "the turn ran within wake()");
      join(poller.detach());
    }
  }

  private static <T> T fake(Class<T> type, Supplier<Object> result) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> result.get()));
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void endpointsOfDeliveredCompletionsAreNotKept(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Counting handler = new Counting();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, handler));
      Endpoint endpoint = fake(Endpoint.class, () -> null);
      WeakReference<Endpoint> kept = new WeakReference<>(endpoint);
      queue.endpoint = endpoint;
      queue.offer(0);
      assertTrue(handler.arrived.tryAcquire(20, TimeUnit.SECONDS), "the completion never arrived");
      queue.endpoint = null;
      endpoint = null;
      // A loop that polls without sleeping forgets it after its next task.
      Await.until("the endpoint is forgotten", () -> {
        loop.execute(() -> {
        });
        System.gc();
        return kept.refersTo(null);
      });
      join(poller.detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void aTurnReadsTheClockAgainForEachFullBatch(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    Scheduler clock = fake(Scheduler.class, System::nanoTime);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      Set<Long> times = ConcurrentHashMap.newKeySet();
      AtomicLong batches = new AtomicLong();
      AtomicReference<CompletionPoller> poller = new AtomicReference<>();
      poller.set(join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.onBatch(batch -> {
        long time = poller.get().nanoTime(clock);
        assertEquals(time, poller.get().nanoTime(clock), "one time for a batch");
        times.add(time);
        batches.incrementAndGet();
      }))));
      int wanted = CompletionPoller.TURN / CompletionPoller.BATCH;
      loop.submit(() -> {
        for (int i = 0; i < CompletionPoller.TURN; i++) {
          queue.offer(i);
        }
        poller.get().wake();
      }).sync();
      Await.until("all batches are delivered", () -> batches.get() == wanted);
      assertEquals(wanted, times.size());
      join(poller.get().detach());
    }
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void aHandlerRunsInNoContextOfAnother(Waiting waiting, String kind) throws Exception {
    EventLoop loop = loop(kind);
    ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
    try (FakeQueue queue = new FakeQueue(waiting); FakeQueue other = new FakeQueue(waiting)) {
      Set<Object> contexts = ConcurrentHashMap.newKeySet();
      AtomicLong seen = new AtomicLong();
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, new CompletionHandler() {
        @Override
        public void completions(CompletionBatch batch) {
        }

        @Override
        public ContextInternal context() {
          return context;
        }

        @Override
        public void turnEnd() {
        }
      }));
      CompletionPoller raw = join(CompletionPoller.attach(loop, other, Progress.AUTOMATIC, TestLoops.onBatch(batch -> {
        contexts.add(Optional.ofNullable(ContextInternal.current()));
        seen.incrementAndGet();
      })));
      other.endless = true;
      other.offer(0);
      Await.until("turns follow each other", () -> seen.get() > 100);
      other.endless = false;
      assertEquals(Set.of(Optional.empty()), contexts);
      join(raw.detach());
      join(poller.detach());
    }
  }
}
