package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OtherWorkTest {

  @Test
  void idleAndWaitingForDisksIsNoWork() {
    assertEquals(1.5, OtherWork.busySeconds(OtherWork.ticks("cpu  100 10 20 9999 8888 7 3 10 0 0")));
    assertTrue(Double.isNaN(OtherWork.busySeconds(new long[0])));
  }

  @Test
  void aProcessCountsWithItsChildrenThatHaveEnded() {
    assertEquals(1.0, OtherWork.processSeconds("7 (a name) of) S 1 7 7 0 -1 0 0 0 0 0 40 30 20 10 20 0 1"));
  }

  @Test
  void littleIsNotWorthSaying() {
    assertNull(OtherWork.warning(0.1));
    assertNull(OtherWork.warning(Double.NaN));
    assertEquals("other work used 1.3 of " + Runtime.getRuntime().availableProcessors()
      + " processors during the measurement, so these results are not those of an idle machine", OtherWork.warning(1.26));
  }
}
