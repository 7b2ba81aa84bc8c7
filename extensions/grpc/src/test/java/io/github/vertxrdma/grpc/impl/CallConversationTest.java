package io.github.vertxrdma.grpc.impl;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One conversation for each seed; {@code -Dsimulator.seed=} and {@code -Dsimulator.count=} choose others. */
class CallConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 500 : 1);

  private static CallConversation run(long seed) {
    CallConversation conversation = new CallConversation(seed, false);
    try {
      conversation.run();
      return conversation;
    } catch (AssertionError | RuntimeException e) {
      CallConversation again = new CallConversation(seed, true);
      String told = "it did not fail again";
      try {
        again.run();
      } catch (AssertionError | RuntimeException same) {
        told = again.text();
      }
      throw new AssertionError(
        "conversation " + seed + ": " + e + "\nit is repeated by -Dsimulator.seed=" + seed + "; the end of it:\n" + told, e);
    }
  }

  private static void runAll(long first, long count) {
    Map<String, Long> ends = new ConcurrentSkipListMap<>();
    LongStream.range(first, first + count).parallel().mapToObj(CallConversationTest::run)
      .forEach(conversation -> conversation.ends.forEach((status, times) -> ends.merge(status.toString(), times, Long::sum)));
    System.out.println(count + " conversations of calls, which ended with " + ends);
  }

  @Test
  @Timeout(600)
  void invariantsHoldInRandomConversations() {
    runAll(FIRST, COUNT);
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void invariantsHoldInManyRandomConversations() {
    runAll(1_000_000, 50_000);
  }
}
