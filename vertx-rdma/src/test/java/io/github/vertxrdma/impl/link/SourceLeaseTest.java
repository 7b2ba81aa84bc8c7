package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.link.SourceLease.COVERED_NANOS;
import static io.github.vertxrdma.impl.link.SourceLease.KEPT_MILLIS;
import static io.github.vertxrdma.impl.link.SourceLease.RENEWED_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What counts is when the question was asked, not when the answer came. */
class SourceLeaseTest {
  private long now = Long.MAX_VALUE - 5;
  private int questions = Integer.MAX_VALUE - 1;
  private final SourceLease lease = new SourceLease(() -> now, () -> ++questions);

  @Test
  void nothingIsCoveredBeforeTheFirstAnswer() {
    int before = questions;
    lease.renew();
    assertFalse(lease.covers(now));
    lease.renew();
    assertEquals(before + 1, questions, "one question at a time");
    assertFalse(lease.answered(questions - 1), "an older question was answered");
    assertFalse(lease.covers(now));
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(now));
  }

  @Test
  void anAnswerThatComesLateCoversNoMore() {
    long asked = now;
    lease.renew();
    now += 10 * COVERED_NANOS;
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(asked + COVERED_NANOS - 1));
    assertFalse(lease.covers(asked + COVERED_NANOS));
    // That asked again, after the read.
    assertTrue(lease.answered(questions));
    assertTrue(lease.covers(asked + COVERED_NANOS));
  }

  @Test
  void itIsRenewedBeforeItEnds() {
    lease.renew();
    lease.answered(questions);
    int before = questions;
    now += RENEWED_NANOS;
    lease.renew();
    assertEquals(before, questions);
    now++;
    lease.renew();
    assertEquals(before + 1, questions);
    assertTrue(lease.covers(now));
  }

  @Test
  void memoryIsKeptForLongerThanIsCovered() {
    assertTrue(TimeUnit.MILLISECONDS.toNanos(KEPT_MILLIS) >= 2 * COVERED_NANOS);
  }
}
