package io.github.vertxrdma.commands;

/** Words of others, nodes or users, as a terminal may have them. */
public final class Printable {
  private Printable() {
  }

  /** Puts spaces in place of control characters, which would begin a line, or command the terminal. */
  public static String of(String words) {
    return words.replaceAll("\\p{Cc}", " ");
  }
}
