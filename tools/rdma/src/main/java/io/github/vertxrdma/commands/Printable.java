package io.github.vertxrdma.commands;

/** Makes text of other nodes or users safe for a terminal. */
public final class Printable {
  private Printable() {
  }

  /** Replaces control characters, which could begin a line or control the terminal, by spaces. */
  public static String of(String words) {
    return words.replaceAll("\\p{Cc}", " ");
  }
}
