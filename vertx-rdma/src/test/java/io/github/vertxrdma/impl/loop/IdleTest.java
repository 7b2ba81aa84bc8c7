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

/** What a loop with queues costs while nothing happens. */
class IdleTest {
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
      for (int i = 0; i < 2000; i++) {
        queue.offer(i);
      }
      // The first second is that of the compiler and of the timer's shorter intervals.
      long polls = queue.polls.get();
      while (queue.polls.get() < polls + 20) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      long before = cpuNanos(loop);
      long start = System.nanoTime();
      join(vertx.timer(Integer.getInteger("vertx.rdma.idleSeconds", 1), TimeUnit.SECONDS));
      long used = cpuNanos(loop) - before;
      long lasted = System.nanoTime() - start;
      assertTrue(used * 100 < lasted, () -> poller.waiting() + ": " + used / 1000 + " µs in " + lasted / 1000 + " µs");
      System.out.printf("idle: %-8s %-6s %5.2f %% of a core, %s%n", kind, waiting, 100.0 * used / lasted, poller.waiting());
      join(poller.detach());
    } finally {
      join(vertx.close());
    }
  }

  /** CPU time of the loop's thread in nanoseconds; proc(5), /proc/pid/schedstat. */
  private static long cpuNanos(EventLoop loop) throws Exception {
    String stat = loop.submit(() -> Files.readString(Path.of("/proc/thread-self/schedstat"))).get();
    return Long.parseLong(stat.substring(0, stat.indexOf(' ')));
  }
}
