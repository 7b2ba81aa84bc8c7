package io.github.vertxrdma.perf;

import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.stream.Collectors;

/** Rows for spreadsheets, with the names of the JSON form above them; a cell of what was not measured is empty. */
final class CsvTable {
  private final PrintStream out;
  private boolean begun;

  CsvTable(PrintStream out) {
    this.out = out;
  }

  void row(Row row) {
    JsonObject cells = row.toJson();
    if (!begun) {
      out.println(String.join(",", cells.fieldNames()));
      begun = true;
    }
    out.println(cells.stream().map(cell -> cell.getValue() == null ? "" : cell.getValue().toString()).collect(Collectors.joining(",")));
  }
}
