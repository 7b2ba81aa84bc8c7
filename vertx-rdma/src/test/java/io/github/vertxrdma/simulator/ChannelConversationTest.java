package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conversations over channels of Netty, each out of a seed; {@code -Dsimulator.seed=} and {@code -Dsimulator.count=} choose others. */
class ChannelConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 400 : 1);

  private static ChannelConversation run(long seed) {
    return Simulation.run(seed, ChannelConversation::new);
  }

  private static void runAll(long first, long count) {
    LongAdder events = new LongAdder();
    LongAdder bytes = new LongAdder();
    LongAdder ends = new LongAdder();
    Map<Fault, Long> faults = new ConcurrentSkipListMap<>();
    LongStream.range(first, first + count).parallel().mapToObj(ChannelConversationTest::run).forEach(conversation -> {
      events.add(conversation.trace.events());
      bytes.add(conversation.bytes);
      ends.add(conversation.ends);
      conversation.faults.forEach((fault, times) -> faults.merge(fault, times, Long::sum));
    });
    System.out.println(count + " conversations over channels, " + events + " events, " + bytes + " bytes read, " + ends
      + " orderly ends, faults " + faults);
  }

  @Test
  @Timeout(900)
  void whatMustHoldHolds() {
    runAll(FIRST, COUNT);
  }

  @Test
  @Timeout(900)
  void aSeedIsOneConversation() {
    for (long seed = FIRST; seed < FIRST + Math.min(COUNT, 40); seed++) {
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
