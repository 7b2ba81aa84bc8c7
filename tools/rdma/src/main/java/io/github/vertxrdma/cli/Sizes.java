package io.github.vertxrdma.cli;

final class Sizes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Sizes() {
  }

  /** Formats bytes in the largest unit that is exact or gives at least 100: {@code 64 KiB}, {@code 1500 B}. {@code unlimited} from 2^62. */
  static String format(long bytes) {
    if (bytes < 0 || bytes >= 1L << 62) {
      return "unlimited";
    }
    int unit = 0;
    long value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1 && (value % 1024 == 0 || value >= 100 * 1024)) {
      value = (value + 512) >> 10;
      unit++;
    }
    return value + " " + UNITS[unit];
  }
}
