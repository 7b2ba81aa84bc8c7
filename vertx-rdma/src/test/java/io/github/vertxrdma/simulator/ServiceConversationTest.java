package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conversations of services and their clients, each out of a seed; {@code -Dsimulator.seed=} and {@code -Dsimulator.count=} choose others. */
class ServiceConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 150 : 1);

  private static ServiceConversation run(long seed) {
    return Simulation.run(seed, ServiceConversation::new);
  }

  private static void runAll(long first, long count) {
    LongAdder events = new LongAdder();
    LongAdder delivered = new LongAdder();
    LongAdder requests = new LongAdder();
    LongAdder replies = new LongAdder();
    Map<Fault, Long> faults = new ConcurrentSkipListMap<>();
    LongStream.range(first, first + count).parallel().mapToObj(ServiceConversationTest::run).forEach(conversation -> {
      events.add(conversation.trace.events());
      delivered.add(conversation.delivered);
      requests.add(conversation.requests);
      replies.add(conversation.replies);
      conversation.faults.forEach((fault, times) -> faults.merge(fault, times, Long::sum));
    });
    System.out.println(count + " conversations with services, " + events + " events, " + delivered + " messages heard, " + requests
      + " requests, " + replies + " replies, faults " + faults);
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

  @Test
  @Tag("long")
  @Timeout(14_400)
  void whatMustHoldHoldsForLong() {
    runAll(1_000_000, 20_000);
  }
}
