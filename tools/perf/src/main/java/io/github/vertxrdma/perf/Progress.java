package io.github.vertxrdma.perf;

import java.util.function.Consumer;

/** A progress line on standard error: rewritten on a terminal, otherwise printed every 10 s. */
final class Progress implements Consumer<String> {
  private static final long PAUSE = 10_000_000_000L;

  private final boolean terminal = System.console() != null && System.console().isTerminal();
  private long last = System.nanoTime();
  private int length;

  @Override
  public void accept(String text) {
    if (terminal) {
      System.err.print("\r" + text + " ".repeat(Math.max(0, length - text.length())));
      length = text.length();
    } else if (System.nanoTime() - last > PAUSE) {
      last = System.nanoTime();
      System.err.println(text);
    }
  }

  void clear() {
    if (terminal && length > 0) {
      System.err.print("\r" + " ".repeat(length) + "\r");
      length = 0;
    }
  }
}
