package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class Table {
  private final List<String[]> rows = new ArrayList<>();

  Table(String... heading) {
    rows.add(heading);
  }

  void row(Object... cells) {
    rows.add(Arrays.stream(cells).map(String::valueOf).map(Printable::of).toArray(String[]::new));
  }

  @Override
  public String toString() {
    return text(Integer.MAX_VALUE);
  }

  /** @param most maximum characters of a line. Further columns follow in another table, which repeats the first column */
  String text(int most) {
    int[] widths = new int[rows.get(0).length];
    rows.forEach(cells -> {
      for (int i = 0; i < cells.length; i++) {
        widths[i] = Math.max(widths[i], cells[i].length());
      }
    });
    StringBuilder text = new StringBuilder();
    for (int from = 1; from < widths.length || from == 1;) {
      int to = from;
      int width = widths[0];
      while (to < widths.length && (to == from || width + 2L + widths[to] <= most)) {
        width += 2 + widths[to++];
      }
      text.append(from == 1 ? "" : "\n");
      for (String[] cells : rows) {
        StringBuilder line = new StringBuilder(cells[0]).repeat(' ', widths[0] + 2 - cells[0].length());
        for (int i = from; i < to; i++) {
          line.append(cells[i]).repeat(' ', widths[i] + 2 - cells[i].length());
        }
        text.append(line.toString().stripTrailing()).append('\n');
      }
      from = Math.max(to, 2);
    }
    return text.toString();
  }
}
