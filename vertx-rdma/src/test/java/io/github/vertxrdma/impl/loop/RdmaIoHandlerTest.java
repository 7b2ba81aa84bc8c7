package io.github.vertxrdma.impl.loop;

import static io.github.vertxrdma.impl.loop.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looks at sockets beside a completion queue: each is a system call. */
@Timeout(60)
class RdmaIoHandlerTest {
  /** After so long with completions sockets want a look. */
  private static final long LONG_NANOS = 50_000;

  private final AtomicLong looks = new AtomicLong();
  private FakeQueue queue;

  /** Epoll's, and counts the calls that do not block. */
  private final class Counting implements IoHandler {
    private final IoHandler epoll;

    Counting(IoHandler epoll) {
      this.epoll = epoll;
    }

    @Override
    public int run(IoHandlerContext context) {
      if (!context.canBlock()) {
        looks.incrementAndGet();
      }
      return epoll.run(context);
    }

    @Override
    public void initialize() {
      epoll.initialize();
    }

    @Override
    public void prepareToDestroy() {
      epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
      epoll.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return epoll.register(handle);
    }

    @Override
    public void wakeup() {
      epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return epoll.isCompatible(type);
    }
  }

  /** Work for each completion, and as many behind it as its id says, as of answers that were sent. */
  private final class Answering implements CompletionHandler {
    private final AtomicLong answered = new AtomicLong();

    @Override
    public void completions(CompletionBatch batch) {
      for (int i = 0; i < batch.size(); i++) {
        long left = batch.requestId(i);
        for (long begun = System.nanoTime(); System.nanoTime() - begun < LONG_NANOS;) {
          Thread.onSpinWait();
        }
        if (left > 0) {
          queue.offer(left - 1);
        } else {
          answered.incrementAndGet();
        }
      }
    }

    @Override
    public void turnEnd() {
    }
  }

  /** @param more completions that follow each one that wakes the loop @return looks that did not block */
  private long looks(int rounds, int more) throws Exception {
    assumeTrue(Epoll.isAvailable(), "epoll is not available here");
    IoHandlerFactory epoll = EpollIoHandler.newFactory();
    queue = new FakeQueue(Waiting.FD);
    try (MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(
      new IoHandlerFactory() {
        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
          return new Counting(epoll.newHandler(executor));
        }
      }, PollPolicies.BLOCKING))) {
      EventLoop loop = group.next();
      Answering answering = new Answering();
      CompletionPoller poller = TestLoops.attachUntimed(loop, queue, answering);
      Await.until("it sleeps", queue::isArmed);
      long before = looks.get();
      for (int i = 1; i <= rounds; i++) {
        queue.offer(more);
        int round = i;
        Await.until("it sleeps again", () -> answering.answered.get() == round && queue.isArmed());
      }
      long made = looks.get() - before;
      join(poller.detach());
      return made;
    } finally {
      queue.close();
    }
  }

  /** It looks as it falls asleep. */
  @Test
  void whoSleepsSoonMakesNone() throws Exception {
    assertEquals(0, looks(400, 1));
  }

  @Test
  void whoIsKeptAwakeMakesSome() throws Exception {
    long made = looks(20, 1000);
    assertTrue(made >= 20, made + " looks in 20 times 1000 completions");
  }
}
