package io.github.vertxrdma.grpc;

/** Checks of option values. */
final class Bounds {
  private Bounds() {
  }

  /** @throws IllegalArgumentException with the option's name, if the value is less */
  static int atLeast(String name, int value, int least) {
    return (int) atLeast(name, (long) value, least);
  }

  static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " of " + value + ": at least " + least);
    }
    return value;
  }
}
