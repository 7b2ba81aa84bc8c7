package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Attempts of a call, and the pauses between them. Each pause is twice the last one, up to a limit, changed by up to a fifth at random: the
 * clients of a lost server do not return all at once. After gRPC's retry policy (proposal A6). Confined to the call's context.
 */
public final class Attempts {
  private static final double JITTER = 0.2;

  private final Limits limits;
  private int made = 1;
  private long pause;

  /**
   * @param attempts maximum number of attempts, the first included
   * @param chance returns numbers from 0 to less than 1
   */
  public record Limits(int attempts, Duration initialBackoff, Duration maxBackoff, DoubleSupplier chance) {

    public static Limits of(int attempts) {
      return new Limits(attempts, Duration.ZERO, Duration.ZERO, () -> 0);
    }

    /** Returns limits of attempts that go on until one succeeds. */
    public static Limits endless(long initialMillis, long maxMillis) {
      return new Limits(Integer.MAX_VALUE, Duration.ofMillis(initialMillis), Duration.ofMillis(maxMillis),
        () -> ThreadLocalRandom.current().nextDouble());
    }
  }

  public Attempts(Limits limits) {
    this.limits = limits;
  }

  public boolean isLeft() {
    return made < limits.attempts;
  }

  /**
   * Counts another attempt.
   *
   * @param unseen true if no server has looked at the call: the first of these needs no pause
   * @param leftNanos time until the call's deadline; 0 for none
   * @return nanoseconds to wait before it, or -1 if no attempt is left, or the pause would outlast the deadline
   */
  public long next(boolean unseen, long leftNanos) {
    if (!isLeft()) {
      return -1;
    }
    long nanos = 0;
    if (!unseen || made > 1) {
      pause = Math.min(limits.maxBackoff.toNanos(), pause == 0 ? limits.initialBackoff.toNanos() : 2 * pause);
      nanos = (long) (pause * (1 - JITTER + 2 * JITTER * limits.chance.getAsDouble()));
    }
    if (leftNanos > 0 && nanos >= leftNanos) {
      return -1;
    }
    made++;
    return nanos;
  }

  /** Does the same without a deadline. @return milliseconds, at least one, as timers need */
  public long pauseMillis() {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(next(false, 0)));
  }

  /** Returns whether a write failed before anything of it was sent, so that a call in it has not begun. */
  public static boolean isUnsent(Throwable cause) {
    return cause instanceof RdmaException end && !end.isEffectUnknown()
      && (end.reason() == Reason.CONNECTION_LOST || end.reason() == Reason.CLOSED);
  }
}
