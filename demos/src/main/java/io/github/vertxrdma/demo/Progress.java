package io.github.vertxrdma.demo;

import java.util.Locale;

/** Progress of a guest; nodes print it for the process that started them. @param percent 0 … 100 @param rate MiB per second */
record Progress(int percent, double rate) {
  private static final String PREFIX = "progress ";

  String print() {
    return PREFIX + percent + ' ' + String.format(Locale.ROOT, "%.1f", rate);
  }

  /** Reads what {@link #print} wrote; null for any other line. */
  static Progress parse(String line) {
    if (!line.startsWith(PREFIX)) {
      return null;
    }
    String[] words = line.substring(PREFIX.length()).split(" ");
    return new Progress(Integer.parseInt(words[0]), Double.parseDouble(words[1]));
  }
}
