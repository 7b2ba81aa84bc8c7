package io.github.vertxrdma.differential;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Runs rows that share processes on one lane. */
final class GroupRun {
  /** Time without progress after which a reader counts as finished. */
  private static final long QUIET_MILLIS = 5000;
  /** Pause between two reports of a reader. */
  private static final long REPORT_MILLIS = 50;
  /** Number of equal reports that show no progress: a slow machine sends fewer in {@link #QUIET_MILLIS}. */
  private static final int QUIET_REPORTS = 20;
  /** Delay of the answer to a request. */
  private static final int ANSWER_MILLIS = 4000;
  /** Time for which a reader does not answer a connection that is to move. */
  private static final int BLOCKED_MILLIS = 6000;
  private static final int END_SECONDS = 60;
  /** Longest time from the reader's end until the writer has noticed its closes and ended its writes. */
  private static final long EVENTS_MILLIS = 20_000;
  /** Wait for the writer's end before its paused reader reads. */
  private static final int PAUSED_SECONDS = 2;

  @FunctionalInterface
  interface Pause {
    /** @param stopped process that is continued after the time */
    void sleep(int seconds, Child stopped) throws InterruptedException, IOException;
  }

  private final Processes processes;
  private final Pause pause;
  private final List<Row> rows;
  private final Ending ending;
  private Child reader;
  private final Child writer;
  private JsonArray reports = new JsonArray();
  /** Reports of the reader before its restart. */
  private JsonArray earlier;
  private int readerMark;
  private int writerMark;
  private long started;
  private final List<Child.Line> earlierLog = new ArrayList<>();
  private String fabric = "";
  private String channel;
  /** Channels of the reader over the fabric before the writer connected. */
  private int channelsBefore;
  /** True if all connections moved to the fabric, also those made again after a stop that ended them. */
  private boolean moved = true;

  GroupRun(Processes processes, Pause pause, List<Row> rows, Child reader, Child writer) {
    this.processes = processes;
    this.pause = pause;
    this.rows = rows;
    this.ending = rows.getFirst().ending();
    this.reader = reader;
    this.writer = writer;
  }

  Child reader() {
    return reader;
  }

  GroupOutcome run() throws InterruptedException, IOException {
    try {
      JsonObject ports = prepare();
      int exit = script(ports);
      return outcome(exit, null);
    } catch (IllegalStateException e) {
      return outcome(-1, e.getMessage());
    }
  }

  static JsonObject command(String what) {
    return new JsonObject().put("do", what);
  }

  private JsonObject prepare() throws InterruptedException, IOException {
    JsonObject chosen = new JsonObject();
    for (int i = 0; i < rows.size() && ending == Ending.RESTART; i++) {
      chosen.put(Integer.toString(i), Processes.freePort());
    }
    JsonObject ports = serve(chosen);
    JsonArray json = new JsonArray();
    for (int i = 0; i < rows.size(); i++) {
      json.add(rows.get(i).json(i).put("host", processes.lane().host()).put("port", ports.getInteger(Integer.toString(i))));
    }
    if (processes.lane() == Lane.FALLBACK) {
      Set<Integer> decoys = new HashSet<>();
      for (int i = 0; i < rows.size(); i++) {
        if (!rows.get(i).kind().isDialledByReader()) {
          decoys.add(rows.get(i).kind().isBus() ? processes.busPort() : ports.getInteger(Integer.toString(i)));
        }
      }
      writer.ask(command("decoy").put("ports", new JsonArray(List.copyOf(decoys))), "decoys");
    }
    report();
    channelsBefore = channels();
    if (ending == Ending.MOVE) {
      reader.ask(command("block").put("millis", BLOCKED_MILLIS), "blocked");
    }
    writer.send(command("prepare").put("rows", json).put("ending", ending.name()));
    for (long i = rows.stream().filter(row -> row.kind().isDialledByReader()).count(); i > 0; i--) {
      JsonObject listening = writer.await("listening", Child.PATIENCE_SECONDS);
      reader.send(command("dial").put("row", listening.getInteger("row")).put("port", listening.getInteger("port")));
    }
    JsonObject prepared = writer.await("prepared", Child.PATIENCE_SECONDS);
    String failure = prepared.getString("failure");
    channel = prepared.getString("channel");
    if (failure != null) {
      throw new IllegalStateException(writer + " could not connect: " + failure);
    }
    if (ending != Ending.CONNECT_STOPPED_5) {
      settle(row -> rows.get(row).load().file() && rows.get(row).kind().isDialledByReader() ? Set.of() : Set.of(0), false);
      awaitMoves();
    }
    readerMark = reader.mark();
    writerMark = writer.mark();
    return ports;
  }

  /** Waits until the connections have moved, which begin by TCP. */
  private void awaitMoves() throws InterruptedException {
    if (!processes.lane().isOverFabric() || ending == Ending.MOVE) {
      return;
    }
    int connections = rows.stream().mapToInt(row -> row.kind().isBus() ? 0 : 1).sum();
    connections += rows.stream().anyMatch(row -> row.kind().isBus()) ? 1 : 0;
    // The answers have their own connection.
    connections += rows.stream().anyMatch(row -> row.kind() == Kind.REQUEST || row.kind() == Kind.REFUSAL) ? 1 : 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    do {
      Thread.sleep(REPORT_MILLIS);
      report();
      moved = channels() >= channelsBefore + connections;
    } while (!moved && System.nanoTime() < end);
  }

  /** @param ports of the rows that have one */
  private JsonObject serve(JsonObject ports) throws InterruptedException {
    JsonArray json = new JsonArray();
    for (int i = 0; i < rows.size(); i++) {
      json.add(rows.get(i).json(i).put("port", ports.getInteger(Integer.toString(i), 0))
        .put("delay", ending == Ending.READER_CLOSES ? ANSWER_MILLIS : 0));
    }
    return reader.ask(command("serve").put("rows", json), "serving");
  }

  private int script(JsonObject ports) throws InterruptedException, IOException {
    started = System.nanoTime();
    if (ending.isSteady()) {
      return steady();
    }
    switch (ending) {
      case RESTART -> {
        return restart(ports);
      }
      case READER_CLOSES -> {
        return readerCloses();
      }
      case MOVE -> {
        return move();
      }
      case CONNECT_STOPPED_5, HALT_STOPPED -> reader.signal("STOP");
      default -> {
        // Only the writer acts.
      }
    }
    writer.send(command("run"));
    switch (ending) {
      case KILL, TERM, TERM_HOOK -> {
        writer.await("due", END_SECONDS);
        writer.signal(ending == Ending.KILL ? "KILL" : "TERM");
      }
      case CONNECT_STOPPED_5 -> {
        pause.sleep(ending.seconds(), reader);
      }
      case HALT_STOPPED -> {
        writer.exitCode(END_SECONDS);
        reader.signal("CONT");
      }
      default -> {
        // The process ends by itself.
      }
    }
    boolean staysAlive = ending == Ending.CLOSE || ending == Ending.SHUTDOWN || ending == Ending.UNDEPLOY;
    boolean paused = rows.stream().anyMatch(row -> row.reader() == Reader.PAUSED);
    int exit = 0;
    if (!staysAlive) {
      exit = writer.exitCode(paused && ending.isGraceful() ? PAUSED_SECONDS : END_SECONDS);
    } else {
      // A close may wait while the window of a paused reader is full.
      writer.poll("ended", paused ? PAUSED_SECONDS : END_SECONDS);
    }
    if (paused) {
      TimeUnit.MILLISECONDS.sleep(300);
      reader.send(command("resume"));
      exit = staysAlive ? 0 : writer.exitCode(END_SECONDS);
    }
    settle(this::needed, true);
    if (staysAlive) {
      awaitEventsOfWriter();
    }
    return exit;
  }

  /**
   * Waits for the writer's closes and ends of writes, at most some time: a write that is not awaited may complete after its message was
   * read.
   */
  private void awaitEventsOfWriter() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EVENTS_MILLIS);
    while (System.nanoTime() < end) {
      List<String> lines = writer.since(writerMark).stream().map(Child.Line::text).toList();
      if (IntStream.range(0, rows.size()).allMatch(row -> hasNoticed(row, lines))) {
        return;
      }
      Thread.sleep(REPORT_MILLIS);
    }
  }

  private boolean hasNoticed(int row, List<String> lines) {
    long ends = lines.stream().filter(line -> line.startsWith("+" + row + ' ') || line.startsWith("-" + row + ' ')).count();
    return (rows.get(row).kind().isBus() || lines.contains("!" + row + " close"))
      && (rows.get(row).isLimitedByWindow() || ends >= written(row));
  }

  private int steady() throws InterruptedException, IOException {
    writer.send(command("steady"));
    TimeUnit.MILLISECONDS.sleep(1500);
    Child stopped = ending.stopsReader() ? reader : writer;
    stopped.signal("STOP");
    int channels = channels();
    pause.sleep(ending.seconds(), stopped);
    TimeUnit.SECONDS.sleep(2);
    if (ending == Ending.READER_STOPPED_75) {
      awaitReturn(channels);
    }
    writer.send(command("finish"));
    int exit = writer.exitCode(END_SECONDS + 30);
    settle(this::needed, true);
    return exit;
  }

  private int move() throws InterruptedException {
    writer.send(command("steady"));
    TimeUnit.SECONDS.sleep(2);
    // The connection may have moved before the first message was reported.
    awaitReturn(channelsBefore);
    writer.send(command("finish"));
    int exit = writer.exitCode(END_SECONDS);
    settle(this::needed, true);
    return exit;
  }

  /** Waits until messages arrive again, over the fabric if the lane has one. */
  private void awaitReturn(int channels) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ending == Ending.MOVE ? END_SECONDS : 2 * END_SECONDS);
    boolean returned = false;
    while (!returned && System.nanoTime() < end) {
      JsonArray before = report();
      TimeUnit.SECONDS.sleep(1);
      returned = !report().equals(before) && (!processes.lane().isOverFabric() || channels() > channels);
    }
    moved = channels() > channels;
  }

  private JsonArray report() throws InterruptedException {
    JsonObject report = reader.ask(command("report"), "report");
    fabric = report.getString("fabric");
    return report.getJsonArray("rows");
  }

  /** Returns the channels over the fabric until the reader's last report. */
  private int channels() {
    return Arrays.stream(fabric.split(", ")).filter(part -> part.endsWith("connected") || part.endsWith("accepted"))
      .mapToInt(part -> Integer.parseInt(part.replaceAll("[^0-9]", ""))).sum();
  }

  private int restart(JsonObject ports) throws InterruptedException, IOException {
    writer.ask(command("write"), "wrote");
    settle(row -> numbers(rows.get(row).load().count()), false);
    earlier = reports;
    reader.send(command("close"));
    reader.exitCode(END_SECONDS);
    earlierLog.addAll(reader.since(readerMark));
    reader.close();
    reader = processes.reader();
    reader.await("ready", Child.PATIENCE_SECONDS);
    serve(ports);
    readerMark = reader.mark();
    writer.ask(command("reconnect"), "reconnected");
    settle(row -> Set.of(0), false);
    writer.ask(command("write"), "wrote");
    writer.send(command("finish"));
    int exit = writer.exitCode(END_SECONDS);
    settle(this::needed, true);
    return exit;
  }

  private int readerCloses() throws InterruptedException {
    writer.send(command("run"));
    settle(row -> numbers(rows.get(row).load().count()), false);
    reader.send(command("close"));
    int exit = reader.exitCode(END_SECONDS);
    writer.exitCode(END_SECONDS);
    return exit;
  }

  private static Set<Integer> numbers(int count) {
    return new HashSet<>(IntStream.rangeClosed(1, count).boxed().toList());
  }

  private Set<Integer> needed(int row) {
    int written = written(row);
    return ending.isGraceful() && written > 0 ? numbers(written) : new HashSet<>(completed(row));
  }

  private int written(int row) {
    for (Child.Line line : writer.since(writerMark)) {
      if (line.text().startsWith("=written ")) {
        return new JsonObject(line.text().substring(9)).getInteger(Integer.toString(row), 0);
      }
    }
    return 0;
  }

  private List<Integer> completed(int row) {
    String start = "+" + row + ' ';
    return writer.since(writerMark).stream().map(Child.Line::text).filter(text -> text.startsWith(start))
      .map(text -> Integer.valueOf(text.substring(start.length()))).toList();
  }

  @FunctionalInterface
  private interface Needed {
    Set<Integer> of(int row);
  }

  /** Waits until the reader has all needed messages and closes, or makes no progress. */
  private void settle(Needed needed, boolean closed) throws InterruptedException {
    long progress = System.nanoTime();
    int equal = 0;
    JsonArray before = null;
    for (;;) {
      reports = report();
      if (IntStream.range(0, rows.size()).allMatch(row -> isSettled(row, needed.of(row), closed))) {
        return;
      }
      if (!reports.equals(before)) {
        before = reports;
        progress = System.nanoTime();
        equal = 0;
      } else if (++equal >= QUIET_REPORTS && System.nanoTime() - progress > TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS)) {
        return;
      }
      Thread.sleep(REPORT_MILLIS);
    }
  }

  private boolean isSettled(int row, Set<Integer> needed, boolean closed) {
    JsonObject report = reports.getJsonObject(row);
    Set<Integer> all = new HashSet<>(received(report));
    if (earlier != null) {
      all.addAll(received(earlier.getJsonObject(row)));
    }
    return all.containsAll(needed) && (!closed || hasEnded(rows.get(row), report.getJsonArray("events")));
  }

  private static boolean hasEnded(Row row, JsonArray events) {
    // The end may come after the close, see Comparison.closes.
    return row.kind().isBus() || events.contains("close")
      && events.stream().anyMatch(event -> event.equals("end") || event.toString().startsWith("exception "));
  }

  private static List<Integer> received(JsonObject report) {
    return report.getJsonArray("received").stream().map(Integer.class::cast).toList();
  }

  private GroupOutcome outcome(int exit, String error) {
    List<Child.Line> writerLines = writer.since(writerMark);
    List<Child.Line> readerLines = new ArrayList<>(earlierLog);
    readerLines.addAll(reader.since(readerMark));
    Map<Row, Outcome> outcomes = new LinkedHashMap<>();
    for (int i = 0; i < rows.size() && reports.size() == rows.size(); i++) {
      outcomes.put(rows.get(i), rowOutcome(i, writerLines));
    }
    Child closing = ending == Ending.READER_CLOSES ? reader : writer;
    List<Child.Line> closingLines = closing == reader ? readerLines : writerLines;
    return new GroupOutcome(outcomes, exit, millis(closingLines, "=ended "), millis(closingLines, "=stop "),
      logged("WARNING", readerLines, writerLines), logged("SEVERE", readerLines, writerLines),
      moved && channels() > 0, channel, error);
  }

  private static long millis(List<Child.Line> lines, String start) {
    return lines.stream().filter(line -> line.text().startsWith(start))
      .mapToLong(line -> new JsonObject(line.text().substring(start.length())).getLong("millis")).findFirst().orElse(-1);
  }

  private static List<String> logged(String level, List<Child.Line> reader, List<Child.Line> writer) {
    List<String> found = new ArrayList<>();
    String start = "log " + level + ' ';
    reader.stream().map(Child.Line::text).filter(text -> isCounted(text, start)).forEach(text -> found.add("reader: " + text));
    writer.stream().map(Child.Line::text).filter(text -> isCounted(text, start)).forEach(text -> found.add("writer: " + text));
    return found;
  }

  /**
   * Excludes blocked event loops of a busy machine or a stopped process, and Vert.x's log of a failed write to a closed stream of HTTP/2.
   */
  private static boolean isCounted(String text, String start) {
    return text.startsWith(start) && !text.contains("BlockedThreadChecker") && !text.contains("com.hazelcast")
      && !text.contains("<missing-log-message>");
  }

  private Outcome rowOutcome(int row, List<Child.Line> lines) {
    List<Integer> failed = new ArrayList<>();
    List<String> events = new ArrayList<>();
    long ended = started;
    long failedAfter = 0;
    long connected = -1;
    int late = 0;
    for (Child.Line line : lines) {
      String text = line.text();
      if (text.startsWith("=written ")) {
        ended = line.nanos();
      } else if (text.startsWith("=connected ") && new JsonObject(text.substring(11)).getInteger("row") == row) {
        connected = TimeUnit.NANOSECONDS.toMillis(line.nanos() - started);
      } else if (text.startsWith("+" + row + ' ')) {
        late += events.contains("close") ? 1 : 0;
      } else if (text.startsWith("-" + row + ' ')) {
        failed.add(Integer.valueOf(text.split(" ")[1]));
        failedAfter = failedAfter == 0 ? Math.max(1, TimeUnit.NANOSECONDS.toMillis(line.nanos() - ended)) : failedAfter;
      } else if (text.startsWith("!" + row + ' ')) {
        events.add(text.substring(text.indexOf(' ') + 1));
      }
    }
    JsonObject report = reports.getJsonObject(row);
    List<Integer> received = new ArrayList<>();
    int wrong = report.getInteger("wrong");
    if (earlier != null) {
      received.addAll(received(earlier.getJsonObject(row)));
      wrong += earlier.getJsonObject(row).getInteger("wrong");
    }
    received.addAll(received(report));
    received.removeIf(number -> number == 0);
    // A closing reader reports before its end.
    List<String> readerEvents = ending == Ending.READER_CLOSES ? List.of()
      : report.getJsonArray("events").stream().map(Object::toString).toList();
    return new Outcome(written(row), completed(row), failed, failedAfter, connected, late, received, wrong, readerEvents, events);
  }
}
