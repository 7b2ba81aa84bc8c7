package io.github.vertxrdma.base;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Counts attempts and computes the pauses between them, like gRPC's retry policy (proposal A6). Each pause is twice the previous one, up to
 * a limit. It is randomly up to a fifth shorter or longer, so that clients do not all reconnect at the same time. Confined to one thread at
 * a time.
 */
public final class Attempts {
  private static final double JITTER = 0.2;

  private final Limits limits;
  private int made = 1;
  private long pause;

  /**
   * @param attempts maximum number of attempts, including the first
   *
   * @param chance source of random numbers from 0 to less than 1
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
   * @param unseen true if no server has received the call: the first retry then has no pause
   * @param leftNanos nanoseconds until the deadline; 0 for none
   * @return nanoseconds to wait before the attempt; -1 if no attempt is left, or the pause would end after the deadline
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

  /** Counts another attempt without a deadline. Returns the milliseconds to wait, at least 1. */
  public long pauseMillis() {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(next(false, 0)));
  }
}
