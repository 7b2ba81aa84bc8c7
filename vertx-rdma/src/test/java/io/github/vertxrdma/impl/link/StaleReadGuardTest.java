package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.link.StaleReadGuard.COVERED_NANOS;
import static io.github.vertxrdma.impl.link.StaleReadGuard.RENEWED_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.LoopEndpoints;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time that an answer confirms counts from its question, not from its arrival. */
class StaleReadGuardTest {
  private final VirtualTime time = new VirtualTime();
  private final SimulatedLoop loop = new SimulatedLoop(time, 1);
  private int questions = Integer.MAX_VALUE - 1;
  private final StaleReadGuard lease = new StaleReadGuard(loop, () -> ++questions);

  @Test
  void nothingIsCoveredBeforeTheFirstAnswer() {
    int before = questions;
    lease.renew();
    assertFalse(lease.covers(loop.nanoTime()));
    lease.renew();
    assertEquals(before + 1, questions, "one question at a time");
    assertFalse(lease.answered(questions - 1), "an older question was answered");
    assertFalse(lease.covers(loop.nanoTime()));
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(loop.nanoTime()));
  }

  @Test
  void anAnswerThatComesLateCoversNoMore() {
    long asked = loop.nanoTime();
    lease.renew();
    time.pass(10 * COVERED_NANOS);
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(asked + COVERED_NANOS - 1));
    assertFalse(lease.covers(asked + COVERED_NANOS));
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(asked + COVERED_NANOS));
  }

  @Test
  void itIsRenewedBeforeItEnds() {
    lease.renew();
    lease.answered(questions);
    int before = questions;
    time.pass(RENEWED_NANOS);
    lease.renew();
    assertEquals(before, questions);
    time.pass(1);
    lease.renew();
    assertEquals(before + 1, questions);
    assertTrue(lease.covers(loop.nanoTime()));
  }

  @Test
  void memoryIsKeptForLongerThanIsCovered() {
    assertTrue(TimeUnit.MILLISECONDS.toNanos(LoopEndpoints.KEPT_MILLIS) >= 2 * COVERED_NANOS);
  }
}
