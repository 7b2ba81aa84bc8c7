package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.simulator.world.SeededTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationTest extends SeededTest<Conversation> {
  private static final int MANY = FULL ? 2_000 : 1_000;
  private static final long[] RARE = {1_246, 1_662, 2_707, 2_801};
  private final Cells cells = new Cells();

  ConversationTest() {
    super(Conversation::new, MANY, FULL ? 50 : 10);
  }

  @Override
  protected void ran(Conversation conversation) {
    synchronized (cells) {
      cells.add(conversation.cells);
    }
  }

  @Override
  protected void runAll(long first, long count) {
    super.runAll(first, count);
    if (count == MANY) {
      for (long seed : RARE) {
        super.runAll(seed, 1);
      }
    }
    System.out.println(cells.count() + " cells reached\n" + cells);
    if (count >= MANY) {
      assertEquals(Set.of(), cells.missing(), "cells of the protocol's tables that no conversation reached");
    }
  }

  @Override
  @Test
  @Tag("long")
  @Timeout(14_400)
  protected void invariantsHoldInManyRandomConversations() {
    runAll(1_000_000, 100_000);
  }

  /**
   * Closes that are acknowledged before the peer has confirmed the reads of its memory, or by a side whose last messages were not read. A
   * close behind a read that a cut delays on its way to an earlier process of the peer. A connection that waited for the last messages of
   * its peer while another process took the peer's address. A PING that arrives after both sides have acknowledged the close.
   */
  @ParameterizedTest
  @ValueSource(longs = {1_001_030, 1_001_553, 1_007_535, 1_040_067, 1_041_705, 1_057_332})
  @Timeout(60)
  void hasFailedBefore(long seed) {
    run(seed);
  }
}
