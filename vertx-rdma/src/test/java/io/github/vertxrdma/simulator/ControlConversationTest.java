package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations about control connections, each out of a seed; {@code -Dsimulator.seed=} and {@code -Dsimulator.count=} choose others. */
class ControlConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 200 : 1);

  private static ControlConversation run(long seed) {
    return Simulation.run(seed, ControlConversation::new);
  }

  private static void runAll(long first, long count) {
    LongAdder events = new LongAdder();
    LongAdder calls = new LongAdder();
    LongAdder succeeded = new LongAdder();
    LongAdder deaths = new LongAdder();
    Map<Fault, Long> faults = new ConcurrentSkipListMap<>();
    LongStream.range(first, first + count).parallel().mapToObj(ControlConversationTest::run).forEach(conversation -> {
      events.add(conversation.trace.events());
      calls.add(conversation.calls);
      succeeded.add(conversation.succeeded);
      deaths.add(conversation.deaths);
      conversation.faults.forEach((fault, times) -> faults.merge(fault, times, Long::sum));
    });
    System.out.println(count + " conversations about control connections, " + events + " events, " + calls + " calls, " + succeeded
      + " of them successful, " + deaths + " deaths, faults " + faults);
  }

  @Test
  @Timeout(900)
  void whatMustHoldHolds() {
    runAll(FIRST, COUNT);
  }

  @Test
  @Timeout(900)
  void aSeedIsOneConversation() {
    for (long seed = FIRST; seed < FIRST + Math.min(COUNT, 20); seed++) {
      assertEquals(run(seed).trace.hash(), run(seed).trace.hash(), "the trace of conversation " + seed);
    }
  }

  /**
   * A node that closes while its JOIN is due takes the place of its next run; who was written off uses the new connection before it hears of that;
   * who was written off made a connection meanwhile that its peer knows nothing of.
   */
  @ParameterizedTest
  @ValueSource(longs = {1889, 21_475, 36_050})
  void hasFailedBefore(long seed) {
    run(seed);
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void whatMustHoldHoldsForLong() {
    runAll(1_000_000, 20_000);
  }
}
