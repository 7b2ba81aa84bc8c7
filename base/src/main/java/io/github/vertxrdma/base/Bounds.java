package io.github.vertxrdma.base;

import java.time.Duration;

/** Checks option values. Each method returns the valid value, or throws {@link IllegalArgumentException}. */
public final class Bounds {
  private static final Duration MOST = Duration.ofMillis(Integer.MAX_VALUE);

  private Bounds() {
  }

  /**
   * Checks a duration of at most 24 days.
   *
   * @param least minimum in milliseconds
   */
  public static Duration atLeast(String name, Duration value, long least) {
    if (value.compareTo(Duration.ofMillis(least)) < 0 || value.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(name + " of " + value + " is out of range: use at least " + least + " ms and at most 24 days");
    }
    return value;
  }

  public static int atLeast(String name, int value, int least) {
    return (int) atLeast(name, (long) value, least);
  }

  public static int within(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " of " + value + " is out of range: use at least " + least + " and at most " + most);
    }
    return value;
  }

  public static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " of " + value + " is out of range: use at least " + least);
    }
    return value;
  }
}
