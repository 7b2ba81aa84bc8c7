package io.github.vertxrdma.differential;

import java.util.List;

/**
 * Messages that a program writes: {@code "20K await"}.
 *
 * @param parsed text
 * @param size bytes of a message
 * @param count number of messages, unless the ending decides it
 * @param awaited whether the ending begins when the last write has completed
 * @param reused whether one buffer is filled again after each write
 * @param file whether sendFile sends all messages as one file
 */
record Load(String text, int size, int count, boolean awaited, boolean reused, boolean file) {
  /**
   * Parses one of {@code 64}, {@code 20K}, {@code 100K}, {@code 1M}, {@code file} or {@code idle}, then optional words: {@code await},
   * {@code reuse}, {@code few} for messages that fit a paused reader's window, {@code many} for more.
   */
  static Load parse(String text) {
    List<String> words = List.of(text.split(" "));
    int size = switch (words.getFirst()) {
      case "64", "idle" -> 64;
      case "20K", "file" -> 20_000;
      case "100K" -> 100_000;
      case "1M" -> 1 << 20;
      default -> throw new IllegalArgumentException("load '" + text + "'");
    };
    int count = switch (words.getFirst()) {
      case "100K" -> 10;
      case "1M" -> 3;
      case "idle" -> 10;
      default -> words.contains("few") ? 12 : words.contains("many") ? 400 : 50;
    };
    return new Load(text, size, count, words.contains("await") || words.contains("reuse"), words.contains("reuse"),
      words.getFirst().equals("file"));
  }

  boolean isIdle() {
    return text.startsWith("idle");
  }
}
