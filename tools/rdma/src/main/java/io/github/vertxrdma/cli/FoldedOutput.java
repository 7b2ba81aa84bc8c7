package io.github.vertxrdma.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Wraps lines of UTF-8 text between words, at the width of a terminal. Continuation lines are indented to the line's last column. Not used
 * for pipes, so that grep(1) finds whole lines.
 */
final class FoldedOutput extends OutputStream {
  static final int WIDTH = 80;

  private final PrintStream out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  private FoldedOutput(PrintStream out) {
    this.out = out;
  }

  static PrintStream of(PrintStream out) {
    return new PrintStream(new FoldedOutput(out), true, StandardCharsets.UTF_8);
  }

  @Override
  public void write(int value) {
    if (value == '\n') {
      out.print(folded(line.toString(StandardCharsets.UTF_8)) + '\n');
      line.reset();
    } else {
      line.write(value);
    }
  }

  @Override
  public void flush() {
    out.flush();
  }

  static String folded(String line) {
    StringBuilder text = new StringBuilder();
    String rest = line;
    String indent = " ".repeat(column(line));
    while (rest.length() > WIDTH) {
      int end = rest.lastIndexOf(' ', WIDTH);
      if (end <= indent.length()) {
        // A word that is longer than a line is a path, which users copy as a whole.
        end = rest.indexOf(' ', indent.length());
        if (end < 0) {
          break;
        }
      }
      text.append(rest, 0, end).append('\n');
      rest = indent + rest.substring(end + 1);
    }
    return text.append(rest).toString();
  }

  private static int column(String line) {
    int column = 0;
    for (int i = 1; i < Math.min(line.length(), WIDTH / 2); i++) {
      if (line.charAt(i) != ' ' && line.charAt(i - 1) == ' ' && i > 1 && line.charAt(i - 2) == ' ') {
        column = i;
      }
    }
    return line.startsWith("  ") && line.substring(0, column).isBlank() || column == 0 ? column + 2 : column;
  }
}
