package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;

/** Text in columns, each as wide as its widest cell. */
final class Table {
  private final List<String[]> rows = new ArrayList<>();

  Table(String... heading) {
    rows.add(heading);
  }

  void row(String... cells) {
    rows.add(cells);
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.get(0).length];
    rows.forEach(cells -> {
      for (int i = 0; i < cells.length; i++) {
        widths[i] = Math.max(widths[i], cells[i].length());
      }
    });
    StringBuilder text = new StringBuilder();
    for (String[] cells : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < cells.length; i++) {
        line.append(cells[i]).repeat(' ', widths[i] + 2 - cells[i].length());
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
