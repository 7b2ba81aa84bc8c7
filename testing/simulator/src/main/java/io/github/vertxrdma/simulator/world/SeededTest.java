package io.github.vertxrdma.simulator.world;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs a {@link Simulation} with consecutive seeds. {@code -Dsimulator.seed=} sets the first seed, and {@code -Dsimulator.count=} the
 * number of runs, by default 1 if a seed is set.
 */
public abstract class SeededTest<S extends Simulation> {
  /** True to make more runs. */
  public static final boolean FULL = Boolean.getBoolean("vertx.rdma.test.full");
  private static final Long SEED = Long.getLong("simulator.seed");

  protected final long first = SEED == null ? 1 : SEED;
  protected final long count;
  private final Simulation.Maker<S> maker;
  private final int twice;

  /** @param twice number of seeds that run twice, to check that both runs are equal */
  protected SeededTest(Simulation.Maker<S> maker, int count, int twice) {
    this.maker = maker;
    this.count = Long.getLong("simulator.count", SEED == null ? count : 1);
    this.twice = twice;
  }

  protected final S run(long seed) {
    return Simulation.run(seed, maker);
  }

  protected void runAll(long first, long count) {
    Map<String, Long> counts = new ConcurrentSkipListMap<>();
    Map<Fault, Long> faults = new ConcurrentSkipListMap<>();
    LongStream.range(first, first + count).parallel().mapToObj(this::run).forEach(conversation -> {
      counts.merge("events", conversation.trace.events(), Long::sum);
      conversation.counts.forEach((what, number) -> counts.merge(what, number, Long::sum));
      conversation.faults.forEach((fault, times) -> faults.merge(fault, times, Long::sum));
      ran(conversation);
    });
    System.out.println(getClass().getSimpleName() + ": " + count + " conversations " + counts + ", faults " + faults);
  }

  /** Called after each run, on several threads at the same time. */
  protected void ran(S conversation) {
  }

  @Test
  @Timeout(900)
  protected void invariantsHoldInRandomConversations() throws Exception {
    runAll(first, count);
  }

  @Test
  @Timeout(900)
  protected void aSeedIsOneConversation() {
    for (long seed = first; seed < first + Math.min(count, twice); seed++) {
      assertEquals(run(seed).trace.hash(), run(seed).trace.hash(), "the trace of conversation " + seed);
    }
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  protected void invariantsHoldInManyRandomConversations() {
    runAll(1_000_000, 20_000);
  }
}
