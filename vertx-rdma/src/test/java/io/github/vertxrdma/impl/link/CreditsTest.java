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
    credits.grantInGreeting(new Grant(WINDOW, 0));
  }

  private int frames(int turns, int messages) {
    int frames = 0;
    for (int turn = 0; turn < turns; turn++) {
      for (int i = 0; i < messages; i++) {
        assertTrue(credits.arrived(true), "the peer had no credit left");
        credits.giveBackData();
      }
      if (credits.isCreditFrameDue()) {
        credits.takeData();
        frames++;
      }
    }
    return frames;
  }

  @Test
  void creditFrameIsDueWhenHalfIsOwed() {
    assertEquals(0, frames(WINDOW / 2 - 1, 1));
    assertEquals(1, frames(1, 1));
    assertEquals(8, frames(32, 2));
    assertEquals(4, frames(8, 4));
  }

  @Test
  void aWindowOfOneGetsItsCreditAtOnce() {
    Credits one = new Credits();
    one.grantInGreeting(new Grant(1, 0));
    for (int i = 0; i < 3; i++) {
      assertTrue(one.arrived(true));
      one.giveBackData();
      assertTrue(one.isCreditFrameDue());
      assertEquals(1, one.takeData());
    }
  }
}
