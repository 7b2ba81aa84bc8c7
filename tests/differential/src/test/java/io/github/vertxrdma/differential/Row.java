package io.github.vertxrdma.differential;

import io.vertx.core.json.JsonObject;
import java.util.Locale;

/** @param alone whether the row shares its processes with no other, which end when the row's writes have completed */
record Row(Kind kind, Load load, Ending ending, Reader reader, boolean alone) {
  /** Parses {@code kind | load | ending}, optionally with {@code | paused} or {@code | slow}, and {@code | alone}. */
  static Row parse(String text) {
    String[] parts = text.split(" *\\| *");
    Reader reader = Reader.READS;
    boolean alone = false;
    for (int i = 3; i < parts.length; i++) {
      if (parts[i].equals("alone")) {
        alone = true;
      } else {
        reader = Reader.valueOf(parts[i].toUpperCase(Locale.ROOT));
      }
    }
    return new Row(Kind.valueOf(parts[0].toUpperCase(Locale.ROOT)), Load.parse(parts[1]), Ending.parse(parts[2]), reader, alone);
  }

  /** Returns whether writes may wait for the full window of a reader that does not read. */
  boolean isLimitedByWindow() {
    return reader == Reader.PAUSED || ending == Ending.HALT_STOPPED;
  }

  /** Rows of one group share the processes of a run. */
  String group() {
    return ending + ", " + reader + (alone ? ", " + this : "");
  }

  JsonObject json(int index) {
    return new JsonObject().put("index", index).put("kind", kind.name()).put("load", load.text()).put("reader", reader.name());
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + " | " + load.text() + " | " + ending
      + (reader == Reader.READS ? "" : " | " + reader.name().toLowerCase(Locale.ROOT)) + (alone ? " | alone" : "");
  }
}
