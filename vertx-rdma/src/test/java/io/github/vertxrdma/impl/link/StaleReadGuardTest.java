package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.link.StaleReadGuard.COVERED_NANOS;
import static io.github.vertxrdma.impl.link.StaleReadGuard.RENEWED_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.LoopEndpoints;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time that an answer confirms counts from its question, not from its arrival. */
class StaleReadGuardTest {
  private final VirtualTime time = new VirtualTime();
  private final SimulatedLoop loop = new SimulatedLoop(time, 1);
  private final List<Runnable> questions = new ArrayList<>();
  private int confirmations;
  private final StaleReadGuard lease = new StaleReadGuard(loop, questions::add, () -> confirmations++);

  @Test
  void nothingIsCoveredBeforeTheFirstAnswer() {
    lease.renew();
    assertFalse(lease.covers(loop.nanoTime()));
    lease.renew();
    assertEquals(1, questions.size(), "one question at a time");
    assertFalse(lease.covers(loop.nanoTime()));
    answer();
    assertEquals(1, confirmations);
    assertTrue(lease.covers(loop.nanoTime()));
  }

  @Test
  void anAnswerThatComesLateCoversNoMore() {
    long asked = loop.nanoTime();
    lease.renew();
    time.pass(10 * COVERED_NANOS);
    answer();
    assertTrue(lease.covers(asked + COVERED_NANOS - 1));
    assertFalse(lease.covers(asked + COVERED_NANOS));
    answer();
    assertTrue(lease.covers(asked + COVERED_NANOS));
  }

  @Test
  void itIsRenewedBeforeItEnds() {
    lease.renew();
    answer();
    time.pass(RENEWED_NANOS);
    lease.renew();
    assertEquals(0, questions.size());
    time.pass(1);
    lease.renew();
    assertEquals(1, questions.size());
    assertTrue(lease.covers(loop.nanoTime()));
  }

  private void answer() {
    questions.removeFirst().run();
  }

  @Test
  void memoryIsKeptForLongerThanIsCovered() {
    assertTrue(TimeUnit.MILLISECONDS.toNanos(LoopEndpoints.KEPT_MILLIS) >= 2 * COVERED_NANOS);
  }
}
