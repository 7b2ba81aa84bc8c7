package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventLoopHostTest {
  private static final Set<Thread.State> IDLE = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final ContextInternal context = vertx.createEventLoopContext();
  private final EventLoop loop = context.nettyEventLoop();
  private final LoopHost host = new EventLoopHost(context);

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void workCompletesOnTheLoop() throws Exception {
    Promise<Boolean> there = Promise.promise();
    CountDownLatch listened = new CountDownLatch(1);
    Future<Integer> outcome = host.blocking(() -> {
      listened.await();
      return 7;
    });
    outcome.onComplete(done -> there.complete(loop.inEventLoop()));
    listened.countDown();
    assertEquals(7, await(outcome));
    assertTrue(await(there.future()));
  }

  @Test
  void workAfterWorkRunsOnIdleThreads() throws Exception {
    Set<String> before = Thread.getAllStackTraces().keySet().stream().map(Thread::getName).collect(Collectors.toSet());
    Set<String> threads = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      Thread thread = await(host.blocking(Thread::currentThread));
      threads.add(thread.getName());
      until("it is idle", () -> IDLE.contains(thread.getState()));
    }
    threads.removeAll(before);
    assertTrue(threads.size() < 10, threads::toString);
  }

  private <T> Future<T> thatOutlivesTheLoop(Callable<T> work) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Future<T> outcome = host.blocking(() -> {
      begun.countDown();
      ended.await();
      return work.call();
    });
    assertTrue(begun.await(20, TimeUnit.SECONDS));
    assertTrue(loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS));
    ended.countDown();
    return outcome;
  }

  @Test
  void workThatOutlivesTheLoopCompletes() throws Exception {
    assertEquals(7, await(thatOutlivesTheLoop(() -> 7)));
  }

  @Test
  void workThatFailsAfterTheLoopsEndFails() throws Exception {
    IllegalStateException failure = new IllegalStateException("on purpose");
    Future<Object> outcome = thatOutlivesTheLoop(() -> {
      throw failure;
    });
    assertSame(failure, assertThrows(ExecutionException.class, () -> await(outcome)).getCause());
  }
}
