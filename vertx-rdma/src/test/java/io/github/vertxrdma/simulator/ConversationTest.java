package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations of many nodes, each out of a seed; {@code -Dsimulator.seed=} runs one, and with {@code -Dsimulator.count=} those after it. */
class ConversationTest {
  private static final long FIRST = Long.getLong("simulator.seed", 1);
  private static final long COUNT = Long.getLong("simulator.count", System.getProperty("simulator.seed") == null ? 2_000 : 1);

  @Test
  @Timeout(900)
  void whatMustHoldHolds() {
    Tally tally = Tally.of(FIRST, COUNT);
    System.out.println(tally);
    if (COUNT >= 2_000) {
      assertEquals(Set.of(), tally.cells.missing(), "cells of the protocol's tables that no conversation reached");
    }
  }

  /**
   * Closes that are acknowledged before the peer has confirmed what was read of its memory, or by a side whose last messages nobody took, and
   * one behind a read that a cut holds up on its way to the peer's earlier life; and a connection that awaited its peer's last messages while
   * another process came to the peer's address.
   */
  @ParameterizedTest
  @ValueSource(longs = {1_001_553, 1_007_535, 1_040_067, 1_041_705, 1_057_332})
  @Timeout(60)
  void hasFailedBefore(long seed) {
    Tally.run(seed);
  }

  @Test
  @Timeout(900)
  void aSeedIsOneConversation() {
    for (long seed = FIRST; seed < FIRST + Math.min(COUNT, 50); seed++) {
      assertEquals(Tally.run(seed).trace.hash(), Tally.run(seed).trace.hash(), "the trace of conversation " + seed);
    }
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void whatMustHoldHoldsForLong() {
    Tally tally = Tally.of(1_000_000, 100_000);
    System.out.println(tally);
    assertEquals(Set.of(), tally.cells.missing(), "cells of the protocol's tables that no conversation reached");
  }
}
