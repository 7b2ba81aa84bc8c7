package io.github.vertxrdma.commands;

/** Makes text of other nodes or users safe for a terminal. */
public final class Printable {
  private Printable() {
  }

  /** Replaces characters that begin a line, control the terminal or change the direction of text. */
  public static String of(String words) {
    return words.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{61c}\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]", " ");
  }
}
