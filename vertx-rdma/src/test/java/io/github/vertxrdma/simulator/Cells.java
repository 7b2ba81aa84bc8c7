package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.LinkState;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The cells of the protocol's tables that conversations reached, with their counts. */
final class Cells {
  private final Map<LinkState, TreeMap<String, Long>> frames = new EnumMap<>(LinkState.class);
  private final Map<Row, Long> rows = new EnumMap<>(Row.class);

  private static String name(int type) {
    return type >= Frame.REGION_BASE ? "REGION" : Frame.name(type);
  }

  void reached(LinkState state, int type) {
    if (Frame.isIn(state.frames, type)) {
      frames.computeIfAbsent(state, s -> new TreeMap<>()).merge(name(type), 1L, Long::sum);
    }
  }

  void reached(Row row) {
    rows.merge(row, 1L, Long::sum);
  }

  void add(Cells other) {
    other.frames.forEach(
      (state, types) -> types.forEach((type, count) -> frames.computeIfAbsent(state, s -> new TreeMap<>()).merge(type, count, Long::sum)));
    other.rows.forEach((row, count) -> rows.merge(row, count, Long::sum));
  }

  Set<String> missing() {
    Set<String> missing = new TreeSet<>();
    for (LinkState state : LinkState.values()) {
      for (int type = 0; type < Long.SIZE; type++) {
        // Only invalid peers send these so late: WAKEABLE follows the opening, and CLOSE is sent after the last ATS. StatesTest has both.
        boolean late = state == LinkState.PEER_ENDED && type == Frame.WAKEABLE || state == LinkState.CLOSE_SENT && type == Frame.ATS;
        // Many requests must wait for that. FloodTest has it.
        boolean rare = late || state == LinkState.DECIDING && type == Frame.WELCOME;
        if (!rare && Frame.isIn(state.frames, type) && !frames.getOrDefault(state, new TreeMap<>()).containsKey(name(type))) {
          missing.add(state + " " + name(type));
        }
      }
    }
    for (Row row : Row.values()) {
      if (!rows.containsKey(row)) {
        missing.add("row " + row);
      }
    }
    return missing;
  }

  int count() {
    return frames.values().stream().mapToInt(Map::size).sum() + rows.size();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    frames.forEach((state, types) -> text.append("  ").append(state).append(' ').append(types).append('\n'));
    return text.append("  ").append(rows).toString();
  }
}
