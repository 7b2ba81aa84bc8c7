package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.Grant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CreditsTest {
  private static final int WINDOW = 16;

  private final Credits credits = new Credits();

  CreditsTest() {
    credits.announced(new Grant(WINDOW, 0));
  }

  private int frames(int turns, int messages) {
    int frames = 0;
    for (int turn = 0; turn < turns; turn++) {
      for (int i = 0; i < messages; i++) {
        assertTrue(credits.arrived(true, false), "the peer had no credit left");
        credits.giveBackData();
      }
      if (credits.turnEnd()) {
        credits.creditFrameSent();
        credits.takeData();
        frames++;
      }
    }
    return frames;
  }

  @Test
  void aMessageAtATimeLeavesThePeerOneCreditInTheEnd() {
    assertEquals(1, frames(WINDOW / 2, 1), "the first goes when half is owed");
    assertEquals(6, frames(9 + 10 + 11 + 12 + 13 + 14, 1), "each later than that before");
    assertEquals(10, frames(10 * (WINDOW - 1), 1));
  }

  @Test
  void severalMessagesInATurnGetThemByHalvesAgain() {
    frames(1_000, 1);
    frames(1, 2);
    frames(WINDOW, 1);
    assertEquals(8, frames(32, 2));
    assertEquals(4, frames(8, 4));
  }

  @Test
  void severalMessagesInAFrameGetThemByHalvesAgain() {
    frames(1_000, 1);
    assertTrue(credits.arrived(true, true));
    credits.giveBackData();
    assertTrue(credits.turnEnd(), "half is owed");
  }

  @Test
  void aWindowOfOneGetsItsCreditAtOnce() {
    Credits one = new Credits();
    one.announced(new Grant(1, 0));
    for (int i = 0; i < 3; i++) {
      assertTrue(one.arrived(true, false));
      one.giveBackData();
      assertTrue(one.turnEnd());
      one.creditFrameSent();
      assertEquals(1, one.takeData());
    }
  }
}
