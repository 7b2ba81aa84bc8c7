package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.poll.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("alone")
class BusyLoopTest {
  static Stream<String> kinds() {
    return TestLoops.kinds().filter(kind -> !kind.startsWith("busy"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Timeout(60)
  void itPollsAsLongAsItIsWanted(String kind) throws Exception {
    Vertx vertx = TestLoops.vertx(kind);
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      EventLoop loop = TestLoops.loop(vertx);
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.NOTHING));
      loop.submit(() -> poller.busy(1)).sync();
      long before = queue.polls.get();
      Await.until("it has polled", () -> queue.polls.get() > before + 10_000);
      loop.submit(() -> {}).sync();
      join(vertx.timer(1, TimeUnit.MILLISECONDS));
      long after = loop.submit(() -> {
        poller.busy(-1);
        return queue.polls.get();
      }).get();
      // Counted on the loop, because this thread may be late.
      long idle = join(vertx.timer(300, TimeUnit.MILLISECONDS).map(v -> queue.polls.get())) - after;
      assertTrue(idle < 2_000, kind + ": " + idle + " polls while nobody wants them");
      join(poller.detach());
    } finally {
      join(vertx.close());
    }
  }
}
