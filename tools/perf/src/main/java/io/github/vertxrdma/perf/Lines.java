package io.github.vertxrdma.perf;

import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.stream.Collectors;

/** Prints rows as JSON or CSV lines. Prints nothing if the user wants a table. */
final class Lines {
  private final PerfArguments.Form form;
  private final PrintStream out;
  private boolean begun;

  Lines(PerfArguments.Form form, PrintStream out) {
    this.form = form;
    this.out = out;
  }

  boolean areForPeople() {
    return form == PerfArguments.Form.TABLE;
  }

  void row(JsonObject row) {
    switch (form) {
      case JSON -> out.println(row.encode());
      case CSV -> {
        if (!begun) {
          out.println(String.join(",", row.fieldNames()));
          begun = true;
        }
        out.println(row.stream().map(cell -> cell.getValue() == null ? "" : cell.getValue().toString()).collect(Collectors.joining(",")));
      }
      case TABLE -> {
      }
    }
  }
}
