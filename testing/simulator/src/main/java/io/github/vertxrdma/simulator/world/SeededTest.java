package io.github.vertxrdma.simulator.world;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Plays runs of one {@link Simulation}, each with a seed. {@code -Dsimulator.seed=} plays one run, and {@code -Dsimulator.count=} also the
 * next seeds.
 */
public abstract class SeededTest<S extends Simulation> {
  /** True if the tests have time for more runs. */
  public static final boolean FULL = Boolean.getBoolean("vertx.rdma.test.full");
  private static final Long SEED = Long.getLong("simulator.seed");

  protected final long first = SEED == null ? 1 : SEED;
  /** Number of consecutive seeds. */
  protected final long count;
  private final Simulation.Maker<S> maker;
  private final int twice;

  /** @param twice number of seeds that are played twice, to compare two runs */
  protected SeededTest(Simulation.Maker<S> maker, int count, int twice) {
    this.maker = maker;
    this.count = Long.getLong("simulator.count", SEED == null ? count : 1);
    this.twice = twice;
  }

  /** @throws AssertionError as {@link Simulation#run(long, Simulation.Maker)} */
  protected final S run(long seed) {
    return Simulation.run(seed, maker);
  }

  /** @throws AssertionError of the first run that failed, as {@link Simulation#run(long, Simulation.Maker)} */
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

  /** Called after each run, on many threads. */
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
