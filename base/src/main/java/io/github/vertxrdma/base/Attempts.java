package io.github.vertxrdma.base;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Counts attempts and computes the pauses between them. Each pause is twice the last one, up to a limit, randomly changed by up to a fifth,
 * so that clients of a lost server do not all reconnect at the same time. Follows gRPC's retry policy (proposal A6). Confined to one thread
 * at a time.
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

    /** Returns limits without a maximum number of attempts. */
    public static Limits endless(long initialMillis, long maxMillis) {
      return endless(initialMillis, maxMillis, () -> ThreadLocalRandom.current().nextDouble());
    }

    public static Limits endless(long initialMillis, long maxMillis, DoubleSupplier chance) {
      return new Limits(Integer.MAX_VALUE, Duration.ofMillis(initialMillis), Duration.ofMillis(maxMillis), chance);
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
   * @param unseen true if no server has received the call; then the first retry needs no pause
   * @param leftNanos time until the call's deadline; 0 for none
   * @return nanoseconds to wait before the attempt, or -1 if no attempt is left, or the pause would outlast the deadline
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

  /** Counts another attempt without a deadline. @return milliseconds to wait, at least 1 */
  public long pauseMillis() {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(next(false, 0)));
  }
}
