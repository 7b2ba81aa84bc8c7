package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Conversations of one kind, each out of a seed; {@code -Dsimulator.seed=} runs one, and with {@code -Dsimulator.count=} those after it.
 */
abstract class SeededTest<S extends Simulation> {
  /** Whether the run has time for more conversations than those that reach each cell of the tables. */
  static final boolean FULL = Boolean.getBoolean("vertx.rdma.test.full");
  private static final Long SEED = Long.getLong("simulator.seed");

  final long first = SEED == null ? 1 : SEED;
  final long count;
  private final Simulation.Maker<S> maker;
  private final int twice;

  /**
   * @param count seeds that are run
   * @param twice those that are run again, to see that each is one conversation
   */
  SeededTest(Simulation.Maker<S> maker, int count, int twice) {
    this.maker = maker;
    this.count = Long.getLong("simulator.count", SEED == null ? count : 1);
    this.twice = twice;
  }

  final S run(long seed) {
    return Simulation.run(seed, maker);
  }

  /** Runs conversations of so many seeds in a row. @throws AssertionError with the first that failed, and how it is repeated */
  void runAll(long first, long count) {
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

  /** Counts what else is to be known of one; called by many threads. */
  void ran(S conversation) {
  }

  @Test
  @Timeout(900)
  void whatMustHoldHolds() throws Exception {
    runAll(first, count);
  }

  @Test
  @Timeout(900)
  void aSeedIsOneConversation() {
    for (long seed = first; seed < first + Math.min(count, twice); seed++) {
      assertEquals(run(seed).trace.hash(), run(seed).trace.hash(), "the trace of conversation " + seed);
    }
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void whatMustHoldHoldsForLong() {
    runAll(1_000_000, 20_000);
  }
}
