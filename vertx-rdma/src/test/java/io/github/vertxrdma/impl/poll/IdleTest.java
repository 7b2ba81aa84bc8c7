package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.poll.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** Processor time of idle loops with queues, each measured by its own thread. */
@Tag("alone")
class IdleTest {
  /** Work of other threads, such as the compiler's, may fall into a measured second. */
  private static final int PATIENCE = 20;

  private static final class Idler {
    private final String name;
    private final Vertx vertx;
    private final FakeQueue queue;
    private final EventLoop loop;
    private final CompletionPoller poller;
    private final long polls;
    private long start;
    private long before;
    private long used;
    private long lasted;

    Idler(Waiting waiting, String kind) throws Exception {
      vertx = TestLoops.vertx(kind);
      queue = new FakeQueue(waiting);
      loop = TestLoops.loop(vertx);
      poller = join(CompletionPoller.attach(loop, queue, Progress.MANUAL, TestLoops.NOTHING));
      name = kind + ' ' + waiting;
      for (int i = 0; i < 2000; i++) {
        queue.offer(i);
      }
      polls = queue.polls.get();
    }

    void settle() throws Exception {
      while (queue.polls.get() < polls + 20) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }

    Future<Void> measure() throws Exception {
      before = cpuNanos(loop);
      start = System.nanoTime();
      return vertx.timer(Integer.getInteger("vertx.rdma.idleSeconds", 1), TimeUnit.SECONDS).mapEmpty();
    }

    void measured(int second) throws Exception {
      used = cpuNanos(loop) - before;
      lasted = System.nanoTime() - start;
      System.out.printf("idle: %-50s %5.2f %% of a core, measurement %d%n", name, 100.0 * used / lasted, second);
    }

    boolean isIdle() {
      return used * 100 < lasted;
    }

    void assertIdle() {
      assertTrue(isIdle(), name + ": " + used / 1000 + " µs in " + lasted / 1000 + " µs");
    }

    void close() {
      join(poller.detach());
      queue.close();
      join(vertx.close());
    }
  }

  @ParameterizedTest
  @CsvSource({"FD, adaptive", "FD, epoll", "FD, nio", "WAKEUP, adaptive", "WAKEUP, epoll"})
  @Timeout(60)
  void queueThatAnnouncesProgressIsNotPolledWhileNothingHappens(Waiting waiting, String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      CompletionPoller poller = join(CompletionPoller.attach(TestLoops.loop(vertx), queue, Progress.ANNOUNCED, TestLoops.NOTHING));
      queue.offer(0);
      Await.until("the completion was taken and the loop sleeps", () -> !queue.hasEntries() && queue.isArmed());
      long before = queue.polls.get();
      TimeUnit.MILLISECONDS.sleep(500);
      assertEquals(before, queue.polls.get());
      join(poller.detach());
    } finally {
      join(vertx.close());
    }
  }

  @TestFactory
  @Timeout(120)
  Stream<DynamicTest> idleLoopUsesLessThanOnePercentOfACore() throws Exception {
    List<Idler> loops = new ArrayList<>();
    List<DynamicTest> tests = new ArrayList<>();
    try {
      for (Waiting waiting : Waiting.values()) {
        for (String kind : TestLoops.kinds().filter(kind -> !kind.startsWith("busy")).toList()) {
          try {
            Idler idler = new Idler(waiting, kind);
            loops.add(idler);
            tests.add(DynamicTest.dynamicTest(idler.name, idler::assertIdle));
          } catch (TestAbortedException e) {
            tests.add(DynamicTest.dynamicTest(kind + ' ' + waiting, () -> {
              throw e;
            }));
          }
        }
      }
      for (Idler idler : loops) {
        idler.settle();
      }
      measure(loops);
    } finally {
      loops.forEach(Idler::close);
    }
    return tests.stream();
  }

  private static void measure(List<Idler> loops) throws Exception {
    List<Idler> left = loops;
    for (int second = 1; second <= PATIENCE && !left.isEmpty(); second++) {
      List<Future<Void>> seconds = new ArrayList<>();
      for (Idler idler : left) {
        seconds.add(idler.measure());
      }
      join(Future.all(seconds));
      for (Idler idler : left) {
        idler.measured(second);
      }
      left = left.stream().filter(idler -> !idler.isIdle()).toList();
    }
  }

  /** CPU time of the loop's thread in nanoseconds; proc(5), /proc/pid/schedstat. */
  private static long cpuNanos(EventLoop loop) throws Exception {
    String stat = loop.submit(() -> Files.readString(Path.of("/proc/thread-self/schedstat"))).get();
    return Long.parseLong(stat.substring(0, stat.indexOf(' ')));
  }
}
