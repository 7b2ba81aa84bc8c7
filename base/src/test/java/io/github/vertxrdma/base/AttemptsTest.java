package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AttemptsTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private static List<Long> pauses(Attempts attempts, int count) {
    return IntStream.range(0, count).mapToObj(i -> attempts.pauseMillis()).toList();
  }

  @Test
  void pausesDoubleUpToTheLongest() {
    assertEquals(List.of(100L, 200L, 400L, 500L, 500L), pauses(new Attempts(Attempts.Limits.endless(100, 500, () -> 0.5)), 5));
  }

  @Test
  void chanceChangesPausesByAtMostAFifth() {
    assertEquals(List.of(80L, 160L), pauses(new Attempts(Attempts.Limits.endless(100, 500, () -> 0)), 2));
    assertEquals(List.of(119L, 239L), pauses(new Attempts(Attempts.Limits.endless(100, 500, () -> 0.999)), 2));
    Attempts random = new Attempts(Attempts.Limits.endless(100, 100));
    assertTrue(pauses(random, 1_000).stream().allMatch(pause -> pause >= 80 && pause <= 120));
  }

  @Test
  void aPauseIsAtLeastOneMillisecond() {
    assertEquals(List.of(1L), pauses(new Attempts(Attempts.Limits.of(2)), 1));
  }

  @Test
  void attemptsAreLimited() {
    Attempts attempts = new Attempts(Attempts.Limits.of(3));
    assertEquals(0, attempts.next(false, 0));
    assertEquals(0, attempts.next(false, 0));
    assertFalse(attempts.isLeft());
    assertEquals(-1, attempts.next(false, 0));
  }

  @Test
  void onlyTheFirstUnseenAttemptNeedsNoPause() {
    Attempts attempts = new Attempts(new Attempts.Limits(9, Duration.ofMillis(10), Duration.ofMillis(40), () -> 0.5));
    assertEquals(0, attempts.next(true, 0));
    assertEquals(10 * MILLI, attempts.next(true, 0));
  }

  @Test
  void noAttemptFollowsAPauseThatOutlastsTheDeadline() {
    Attempts attempts = new Attempts(new Attempts.Limits(2, Duration.ofMillis(10), Duration.ofMillis(10), () -> 0.5));
    assertEquals(-1, attempts.next(false, 10 * MILLI));
    assertTrue(attempts.isLeft());
    assertEquals(10 * MILLI, attempts.next(false, 10 * MILLI + 1));
  }
}
