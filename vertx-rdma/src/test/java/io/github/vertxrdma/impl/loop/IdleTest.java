package io.github.vertxrdma.impl.loop;

import static io.github.vertxrdma.impl.loop.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Processor time of a loop with queues while nothing happens. */
class IdleTest {
  /** Measurements. */
  private static final int PATIENCE = 20;
  private static final CompletionHandler NOTHING = new CompletionHandler() {
    @Override
    public void completions(CompletionBatch batch) {
    }

    @Override
    public void turnEnd() {
    }
  };

  static Stream<Arguments> loops() {
    return Stream.of(Waiting.values())
      .flatMap(w -> TestLoops.kinds().filter(kind -> !kind.equals("busy")).map(kind -> Arguments.of(w, kind)));
  }

  @ParameterizedTest
  @MethodSource("loops")
  @Timeout(60)
  void anIdleLoopUsesLessThanOneHundredthOfACore(Waiting waiting, String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.MANUAL, NOTHING));
      try {
        for (int i = 0; i < 2000; i++) {
          queue.offer(i);
        }
        // The first second is that of the compiler and of the timer's shorter intervals.
        long polls = queue.polls.get();
        while (queue.polls.get() < polls + 20) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
        awaitIdle(vertx, loop, kind + ' ' + waiting + ", " + poller.waiting());
      } finally {
        // Else the fd would be closed while it is watched, and who gets its number next could not be.
        join(poller.detach());
      }
    } finally {
      join(vertx.close());
    }
  }

  /** On a busy machine other threads' work, such as the compiler's on this one's behalf, may fall into a second: then the next counts. */
  private static void awaitIdle(Vertx vertx, EventLoop loop, String name) throws Exception {
    for (int second = 1;; second++) {
      long before = cpuNanos(loop);
      long start = System.nanoTime();
      join(vertx.timer(Integer.getInteger("vertx.rdma.idleSeconds", 1), TimeUnit.SECONDS));
      long used = cpuNanos(loop) - before;
      long lasted = System.nanoTime() - start;
      System.out.printf("idle: %-50s %5.2f %% of a core, measurement %d%n", name, 100.0 * used / lasted, second);
      if (used * 100 < lasted) {
        return;
      }
      assertTrue(second < PATIENCE, name + ": " + used / 1000 + " µs in " + lasted / 1000 + " µs");
    }
  }

  /** CPU time of the loop's thread in nanoseconds; proc(5), /proc/pid/schedstat. */
  private static long cpuNanos(EventLoop loop) throws Exception {
    String stat = loop.submit(() -> Files.readString(Path.of("/proc/thread-self/schedstat"))).get();
    return Long.parseLong(stat.substring(0, stat.indexOf(' ')));
  }
}
