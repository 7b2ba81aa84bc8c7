package io.github.vertxrdma.differential;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A new row is one line of {@link #EXPLICIT}; a new kind, load or ending is one word in the combined lists. */
final class Rows {
  /** Rows that had losses, or that the combined lists lack. */
  private static final List<String> EXPLICIT = List.of(
    // messages right before a close, an exit, a halt
    "publish | 20K | vertx.close | alone",
    "send | 20K | vertx.close | alone",
    "publish | 20K await | exit | alone",
    "publish | 20K await | halt | alone",
    "send | 20K await | exit | alone",
    "net | 20K await | exit | alone",
    "net | 20K await | halt | alone",
    "net | 100K await | exit | alone",
    "net | 100K reuse | close | slow",
    "net | 64 reuse | close | slow",
    // The channel of a socket closes, or its output ends, behind flushed writes.
    "channel | 1M | close | slow",
    "channel | 1M | shutdown | slow",
    "channel | 20K | close",
    "channel | 20K | shutdown",
    // more than the window of the reader
    "net | 20K many await | halt | paused",
    "net | 20K await | halt | paused",
    // a stream that is idle while its client is stopped
    "net | idle | writer stopped 12 s",
    "websocket | idle | writer stopped 12 s",
    "net | idle | writer stopped 5 s",
    "net | idle | reader stopped 12 s",
    "net | idle | reader stopped 5 s",
    "net | file | close",
    "net | file await | exit",
    "net | file await | halt",
    "net | file | vertx.close",
    "net | file await | SIGTERM",
    "net | file | undeploy",
    // Vert.x opens the file of a response on another thread, so a close without await may come first.
    "response1 | file await | close",
    "response1 | file await | exit",
    "response1 | file await | halt",
    "response1 | file await | vertx.close",
    "response1 | 20K await | kill -9",
    "response1 | 20K | shutdown",
    "response2 | file await | exit",
    "response2 | 20K await | halt",
    "response2 | 20K | vertx.close",
    "response2 | 20K await | SIGTERM",
    "response2 | 20K | undeploy",
    "http1 | 64 await | reader's vertx.close, request in progress",
    "http2 | 64 await | reader's vertx.close, request in progress",
    "grpc | 64 await | reader's vertx.close, request in progress",
    "http1 | 20K await | reader's vertx.close, request in progress",
    "http2 | 20K await | reader's vertx.close, request in progress");

  /** Rows for processes that use no fabric. Those that close Vert.x have a cluster. */
  static final List<String> NO_FABRIC = List.of(
    "failures | 64 await | close",
    "net | 20K | close",
    "http1 | 20K await | close",
    "websocket | 64 await | close",
    "net | 20K await | kill -9",
    "http2 | 20K await | kill -9",
    "refusal | 64 await | vertx.close",
    "request | 20K await | vertx.close",
    "publish | 20K | vertx.close");

  private static final List<String> BUS = List.of("publish", "send", "request");
  private static final List<String> STREAMS = List.of("net", "channel", "http1", "http2", "websocket", "grpc");
  private static final List<String> LOADS = List.of("20K", "64 await", "20K await", "1M await", "20K reuse", "64", "1M", "64 reuse",
    "100K reuse");
  private static final List<String> BUS_ENDINGS = List.of("vertx.close", "undeploy", "stop()", "exit", "halt", "kill -9", "SIGTERM",
    "SIGTERM, hook");
  private static final List<String> STREAM_ENDINGS = List.of("close", "shutdown", "vertx.close", "undeploy", "stop()", "exit", "halt",
    "kill -9", "SIGTERM", "SIGTERM, hook");
  private static final List<String> PAUSED_ENDINGS = List.of("close", "exit", "halt", "kill -9");
  private static final List<String> PAUSED_LOADS = List.of("20K few await", "64 await", "20K many await", "20K few", "20K few reuse");
  /** A stopped reader does not answer requests, so kinds with requests are missing. */
  private static final List<String> STOPPED = List.of("publish", "send", "net", "channel", "http1", "http2", "websocket", "grpc");
  private static final List<String> STOPPED_LOADS = List.of("20K few await", "64 await", "20K few reuse");
  private static final List<String> SLOW_ENDINGS = List.of("vertx.close", "exit", "halt");
  private static final List<String> STEADY_LOADS = List.of("64", "20K");
  private static final List<String> RESTART_LOADS = List.of("64 await", "20K await", "20K reuse");
  private static final List<String> STOPS = List.of("reader stopped 5 s", "reader stopped 12 s", "writer stopped 5 s",
    "writer stopped 12 s");
  private static final List<String> LONG_STOPS = List.of("reader stopped 19 s", "writer stopped 19 s");

  /** Maximum rows of a group, more than the full run has, so that its groups are complete on each lane. */
  private static final int LARGEST_GROUP = 16;

  private Rows() {
  }

  /** Returns the rows of {@code --full}: each kind with each ending, and the loads in turn. */
  static List<Row> full() {
    Builder rows = new Builder();
    rows.addAll(EXPLICIT);
    rows.inTurn(BUS, LOADS, BUS_ENDINGS, "");
    rows.inTurn(STREAMS, LOADS, STREAM_ENDINGS, "");
    rows.inTurn(BUS, LOADS, SLOW_ENDINGS, " | slow");
    rows.inTurn(STREAMS, LOADS, SLOW_ENDINGS, " | slow");
    rows.inTurn(STREAMS, PAUSED_LOADS, PAUSED_ENDINGS, " | paused");
    rows.inTurn(STOPPED, STOPPED_LOADS, List.of("halt, reader stopped"), "");
    rows.inTurn(BUS, STEADY_LOADS, STOPS, "");
    rows.inTurn(STREAMS, STEADY_LOADS, STOPS, "");
    rows.inTurn(BUS, RESTART_LOADS, List.of("restart on the same port"), "");
    rows.inTurn(STREAMS, RESTART_LOADS, List.of("restart on the same port"), "");
    rows.inTurn(STREAMS, List.of("64 await", "20K await"), List.of("connect, reader stopped 5 s"), "");
    rows.combine(List.of("publish", "send"), List.of("64", "20K", "1M"), List.of("connect by TCP, move"), "");
    return rows.list();
  }

  /** Returns the rows of {@code --all}: each kind with each ending and each load. */
  static List<Row> all() {
    Builder rows = new Builder();
    full().forEach(row -> rows.add(row.toString()));
    rows.combine(BUS, LOADS, BUS_ENDINGS, "");
    rows.combine(STREAMS, LOADS, STREAM_ENDINGS, "");
    rows.combine(BUS, LOADS, SLOW_ENDINGS, " | slow");
    rows.combine(STREAMS, LOADS, SLOW_ENDINGS, " | slow");
    rows.combine(STREAMS, PAUSED_LOADS, PAUSED_ENDINGS, " | paused");
    rows.combine(STOPPED, STOPPED_LOADS, List.of("halt, reader stopped"), "");
    rows.combine(BUS, STEADY_LOADS, LONG_STOPS, "");
    rows.combine(STREAMS, STEADY_LOADS, LONG_STOPS, "");
    rows.combine(BUS, RESTART_LOADS, List.of("restart on the same port"), "");
    rows.combine(STREAMS, RESTART_LOADS, List.of("restart on the same port"), "");
    rows.combine(BUS, List.of("64"), List.of("reader stopped 75 s"), "");
    return rows.list();
  }

  /** Returns all rows over shared memory, and rows with shared processes on one other lane in turn. */
  static Map<Lane, List<Row>> inTurn(List<Row> rows) {
    Map<Lane, List<Row>> plan = new EnumMap<>(Lane.class);
    plan.put(Lane.SHM, rows);
    List<Lane> others = List.of(Lane.VERBS, Lane.TCP, Lane.FALLBACK);
    others.forEach(lane -> plan.put(lane, new ArrayList<>()));
    int turn = 0;
    for (List<Row> group : groups(rows).values()) {
      if (group.getFirst().alone()) {
        continue;
      }
      Lane lane = others.get(turn++ % others.size());
      plan.get(lane.canRun(group.getFirst()) ? lane : others.get(turn++ % others.size())).addAll(group);
    }
    return plan;
  }

  /** Returns every second group of rows, beginning with the first or second as the seed says. */
  static Map<Lane, List<Row>> half(Map<Lane, List<Row>> plan, int seed) {
    Map<Lane, List<Row>> half = new EnumMap<>(Lane.class);
    plan.forEach((lane, rows) -> {
      List<List<Row>> groups = List.copyOf(groups(rows).values());
      half.put(lane,
        IntStream.range(0, groups.size()).filter(i -> Math.floorMod(i + seed, 2) == 0).mapToObj(groups::get).flatMap(List::stream)
          .toList());
    });
    return half;
  }

  static Map<Lane, List<Row>> onAll(List<Row> rows) {
    Map<Lane, List<Row>> plan = new EnumMap<>(Lane.class);
    Stream.of(Lane.SHM, Lane.VERBS, Lane.TCP, Lane.FALLBACK)
      .forEach(lane -> plan.put(lane, rows.stream().filter(lane::canRun).toList()));
    return plan;
  }

  /** Returns the rows by shared processes, at most {@value #LARGEST_GROUP} for each. */
  static Map<String, List<Row>> groups(List<Row> rows) {
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    for (Row row : rows) {
      int part = 1;
      while (groups.getOrDefault(name(row, part), List.of()).size() == LARGEST_GROUP) {
        part++;
      }
      groups.computeIfAbsent(name(row, part), name -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  private static String name(Row row, int part) {
    return part == 1 ? row.group() : row.group() + ", " + part;
  }

  private static final class Builder {
    private final Set<String> rows = new LinkedHashSet<>();
    private int turn;

    void add(String row) {
      Row parsed = Row.parse(row);
      // An answer that is not awaited is not received; its failure is Vert.x's own.
      rows.add((parsed.kind() == Kind.REQUEST && !parsed.load().awaited() && !parsed.ending().isSteady()
        ? Row.parse(row.replace(parsed.load().text(), parsed.load().text() + " await")) : parsed).toString());
    }

    void addAll(List<String> all) {
      all.forEach(this::add);
    }

    void inTurn(List<String> kinds, List<String> loads, List<String> endings, String more) {
      for (String ending : endings) {
        for (String kind : kinds) {
          add(kind + " | " + loads.get(turn++ % loads.size()) + " | " + ending + more);
        }
        // The next ending begins with another load.
        turn++;
      }
    }

    void combine(List<String> kinds, List<String> loads, List<String> endings, String more) {
      for (String ending : endings) {
        for (String load : loads) {
          kinds.forEach(kind -> add(kind + " | " + load + " | " + ending + more));
        }
      }
    }

    List<Row> list() {
      return rows.stream().map(Row::parse).toList();
    }
  }

  static List<String> values(Row row) {
    List<String> values = new ArrayList<>(List.of(row.kind().name(), row.ending().toString(), row.reader().name()));
    values.addAll(Arrays.asList(row.load().text().toUpperCase(Locale.ROOT).split(" ")));
    return values;
  }
}
