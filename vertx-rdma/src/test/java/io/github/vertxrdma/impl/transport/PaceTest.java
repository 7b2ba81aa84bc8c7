package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long SHARE = 128_000_000;

  private final Pace pace = new Pace();
  private long now = System.nanoTime() + SHARE;

  private boolean isBusy(int times, long every) {
    boolean busy = false;
    for (int i = 0; i < times; i++) {
      busy = pace.isBusy(now);
      now += every;
    }
    return busy;
  }

  @Test
  void trafficIsBusyFromTheEighthShareOn() {
    assertFalse(isBusy(7, 0));
    assertTrue(isBusy(1, 0));
    assertTrue(isBusy(1000, SHARE));
  }

  @Test
  void rareTrafficIsNeverBusy() {
    assertFalse(isBusy(1000, SHARE));
    assertFalse(isBusy(1000, SHARE + 1));
  }

  @Test
  void trafficOfAFewRareConnectionsAtOnceIsNotBusy() {
    for (int second = 0; second < 100; second++) {
      assertFalse(isBusy(7, 0), "in second " + second);
      now += 8 * SHARE;
    }
  }

  @Test
  void burstCountsNoMoreThanItsBucket() {
    assertTrue(isBusy(1_000_000, 0));
    now += 2 * SHARE;
    assertFalse(isBusy(1, 0), "two shares have left the bucket");
    assertTrue(isBusy(1, 0));
  }
}
