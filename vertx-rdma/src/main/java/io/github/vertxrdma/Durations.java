package io.github.vertxrdma;

import java.time.Duration;

/** Bounds of durations in options, of this library and of extensions. */
public final class Durations {
  private static final Duration MOST = Duration.ofMillis(Integer.MAX_VALUE);

  private Durations() {
  }

  /**
   * The value, if it is within its bounds.
   *
   * @param name of the option, for the refusal
   * @param least milliseconds
   * @throws IllegalArgumentException if it is shorter, or longer than 24 days
   */
  public static Duration atLeast(String name, Duration value, long least) {
    if (value.compareTo(Duration.ofMillis(least)) < 0 || value.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(name + " of " + value + ": at least " + least + " ms, at most 24 days");
    }
    return value;
  }
}
