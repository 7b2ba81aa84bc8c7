package io.github.vertxrdma.demo;

import io.vertx.core.Context;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** Nodes B and C: take jobs, some over the fabric, then some over TCP, and measure how long the board's answers take. */
final class Worker {
  /** Jobs in a row over the same bus. */
  private static final int TURN = 50;
  private static final DeliveryOptions BRIEF = new DeliveryOptions().setSendTimeout(3_000);

  private final JobsNode node;
  private final List<EventBus> buses;
  private final String name;
  private final long[][] nanos;
  private final int[] counts = new int[2];
  private final CountDownLatch over = new CountDownLatch(1);
  private int bus;
  private int left = TURN;
  private boolean ended;

  Worker(JobsNode node, String name, int jobs) {
    this.node = node;
    this.buses = node.buses();
    this.name = name;
    // As many as one worker can do alone, with some to spare for jobs that are posted again.
    this.nanos = new long[2][jobs + jobs / 10 + 1000];
  }

  /** The work; anybody can check it. */
  static long work(int job) {
    return (long) job * job % 1_000_003;
  }

  void run() throws Exception {
    Context context = node.vertx().getOrCreateContext();
    for (EventBus each : buses) {
      each.consumer(Board.OVER, m -> context.runOnContext(v -> {
        ended = true;
        over.countDown();
      }));
    }
    context.runOnContext(v -> take());
    over.await();
    if (!name.equals("C")) {
      report();
    }
  }

  private void take() {
    if (ended) {
      return;
    }
    if (--left <= 0) {
      left = TURN;
      bus = 1 - bus;
    }
    int mine = bus;
    long start = System.nanoTime();
    buses.get(mine).<Integer>request(Board.TAKE, name, BRIEF).onComplete(answer -> {
      if (answer.succeeded()) {
        measured(mine, System.nanoTime() - start);
        finish(mine, answer.result());
      } else {
        // Nothing to do there, or nobody there yet: the other bus may have something.
        left = TURN;
        bus = 1 - mine;
        node.vertx().setTimer(20, t -> take());
      }
    });
  }

  private void finish(int mine, Message<Integer> message) {
    JsonObject result = new JsonObject().put("job", message.body()).put("result", work(message.body())).put("worker", name);
    // Should it be lost, the board posts the job again.
    buses.get(mine).request(Board.DONE, result, BRIEF).onComplete(done -> take());
  }

  private void measured(int mine, long took) {
    if (counts[mine] < nanos[mine].length) {
      nanos[mine][counts[mine]++] = took;
    }
  }

  private void report() {
    double[] median = new double[2];
    for (int i = 0; i < 2; i++) {
      // The first fifth warms the virtual machine up.
      long[] sorted = Arrays.copyOfRange(nanos[i], counts[i] / 5, Math.max(counts[i], counts[i] / 5 + 1));
      Arrays.sort(sorted);
      median[i] = sorted[sorted.length / 2] / 1e3;
      System.out.printf(Locale.ROOT, "over %-6s a request takes %7.1f µs (p50), %8.1f µs (p99), of %d%n", JobsNode.name(i), median[i],
        sorted[sorted.length * 99 / 100] / 1e3, sorted.length);
    }
    boolean faster = median[0] <= median[1];
    System.out.printf(Locale.ROOT, "half of the requests are answered %.1f times %s over the fabric than over TCP%n",
      faster ? median[1] / median[0] : median[0] / median[1], faster ? "faster" : "slower");
  }
}
