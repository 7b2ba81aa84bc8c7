package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.poll.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("polling")
class DirectWatchTest {
  private static CompletionPoller offered(EventLoop loop, FakeQueue queue) {
    CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.NOTHING));
    Await.until("it offers to watch", () -> queue.watch != null);
    return poller;
  }

  /** The pipe stays readable, as a level-triggered fd does. */
  private static void wakes(FileDescriptor[] pipe, FakeQueue queue) throws Exception {
    long before = queue.polls.get();
    pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1);
    Await.until("it has polled", () -> queue.polls.get() > before);
  }

  private static void read(EventLoop loop, FileDescriptor[] pipe) throws Exception {
    loop.submit(() -> pipe[0].read(ByteBuffer.allocateDirect(8), 0, 8)).sync();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "blocking"})
  void watchedFdWakesTheLoop(String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    FileDescriptor[] first = FileDescriptor.pipe();
    FileDescriptor[] next = FileDescriptor.pipe();
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = offered(loop, queue);
      assertTrue(loop.submit(() -> queue.watch.watch(first[0].intValue())).get());
      wakes(first, queue);
      read(loop, first);
      wakes(first, queue);
      assertTrue(loop.submit(() -> queue.watch.watch(next[0].intValue())).get());
      wakes(next, queue);
      read(loop, next);
      queue.offer(1);
      Await.until("it has polled", () -> !queue.hasEntries());
      loop.submit(() -> {
        queue.watch.watch(-1);
        return queue.watch.watch(next[0].intValue());
      }).sync();
      wakes(next, queue);
      join(poller.detach());
      assertNull(queue.watch, "the offer did not end with the poller");
    } finally {
      join(vertx.close());
      for (FileDescriptor fd : new FileDescriptor[] {first[0], first[1], next[0], next[1]}) {
        fd.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "blocking"})
  void queueSeesWhichFdWokeTheLoop(String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    FileDescriptor[] pipe = FileDescriptor.pipe();
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = offered(loop, queue);
      int fd = pipe[0].intValue();
      loop.submit(() -> {
        queue.told.clear();
        queue.beside = fd;
        return queue.watch.watch(fd);
      }).sync();
      wakes(pipe, queue);
      Await.until("the queue is told", () -> !queue.told.isEmpty());
      assertEquals(Set.of(fd), queue.told);
      read(loop, pipe);
      Await.until("it sleeps", queue::isArmed);
      loop.submit(queue.told::clear).sync();
      queue.offer(1);
      Await.until("it has polled", () -> !queue.hasEntries());
      assertEquals(Set.of(queue.fd()), queue.told);
      join(poller.detach());
    } finally {
      join(vertx.close());
      pipe[0].close();
      pipe[1].close();
    }
  }

  @Test
  void watchOfAnInvalidFdIsRefused() throws Exception {
    Vertx vertx = TestLoops.vertx("blocking");
    FileDescriptor[] pipe = FileDescriptor.pipe();
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = offered(loop, queue);
      assertFalse(loop.submit(() -> queue.watch.watch(1_000_000)).get());
      assertTrue(loop.submit(() -> queue.watch.watch(pipe[0].intValue())).get());
      wakes(pipe, queue);
      join(poller.detach());
    } finally {
      join(vertx.close());
      pipe[0].close();
      pipe[1].close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "blocking"})
  void watchIsRefusedAfterTheLoopHasClosed(String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    FileDescriptor[] pipe = FileDescriptor.pipe();
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = offered(loop, queue);
      DirectWatch watch = queue.watch;
      assertTrue(loop.submit(() -> watch.watch(pipe[0].intValue())).get());
      join(vertx.close());
      join(poller.detach());
      assertTrue(watch.watch(-1));
      assertFalse(watch.watch(pipe[0].intValue()));
      assertTrue(watch.watch(-1));
    } finally {
      pipe[0].close();
      pipe[1].close();
    }
  }

  /** The nio transport would wait in the epoll set of another thread, and a polling loop needs a processor of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"nio", "adaptive io_uring", "busy"})
  void watchIsOfferedOnlyByLoopsWithAnEpollSetThatSleep(String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.NOTHING));
      queue.offer(1);
      Await.until("it has polled", () -> !queue.hasEntries());
      loop.submit(() -> {}).sync();
      assertNull(queue.watch);
      join(poller.detach());
      assertNull(queue.watch);
    } finally {
      join(vertx.close());
    }
  }
}
