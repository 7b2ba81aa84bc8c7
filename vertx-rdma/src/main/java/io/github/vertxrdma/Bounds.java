package io.github.vertxrdma;

import java.time.Duration;

/** Bounds of values in options, of this library and of extensions: each method gives the value back if it is within them. */
public final class Bounds {
  private static final Duration MOST = Duration.ofMillis(Integer.MAX_VALUE);

  private Bounds() {
  }

  /**
   * A time, which is no longer than 24 days.
   *
   * @param name of the option, for the refusal
   * @param least milliseconds
   * @throws IllegalArgumentException if it is out of bounds
   */
  public static Duration atLeast(String name, Duration value, long least) {
    if (value.compareTo(Duration.ofMillis(least)) < 0 || value.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(name + " of " + value + ": at least " + least + " ms, at most 24 days");
    }
    return value;
  }

  /** A number. @param name of the option, for the refusal @throws IllegalArgumentException if it is out of bounds */
  public static int atLeast(String name, int value, int least) {
    return (int) atLeast(name, (long) value, least);
  }

  /**
   * A number of at least so much and at most so much.
   *
   * @param name of the option, for the refusal
   * @throws IllegalArgumentException if it is not
   */
  public static int within(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " of " + value + ": at least " + least + ", at most " + most);
    }
    return value;
  }

  /** A number. @param name of the option, for the refusal @throws IllegalArgumentException if it is out of bounds */
  public static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " of " + value + ": at least " + least);
    }
    return value;
  }
}
