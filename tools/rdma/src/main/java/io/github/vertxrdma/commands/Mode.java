package io.github.vertxrdma.commands;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Workloads of {@code perf}. Some have several kinds, of which the first is the default. */
public enum Mode {
  LATENCY(64, "a message and its echo"),
  PING(64, "a message and its echo, for each second since the start of new processes; compared with other poll policies"),
  RATE(64, "messages in one direction"),
  REGIONS(64, "remote reads, writes and fetch-and-adds; a notified write that is answered with "
    + "another", "read", "write", "atomic", "notify"),
  CONNECT(0, "opening and closing connections; also those of a NetClient to a server on the wildcard address", "connection", "stream"),
  BUS(64, "event bus requests; the reply has the body of the request"),
  HTTP(64, "HTTP/1.1 requests; the response has the body of the request"),
  CALL(64, "calls of a contract or function; requests to an rdma: verticle by RdmaBusClient or event "
    + "bus", "contract", "function",
    "service", "address"),
  START(0, "time from the start of a clustered node until its first answer; resources of an idle node", "answer", "idle"),
  BUILDS(64, "compares processor time and garbage of an echo with another build");

  public static final String IDLE = "idle";
  public static final String FUNCTION = "function";
  /** The kind of {@link #REGIONS} whose operations have one size. */
  static final String ATOMIC = "atomic";
  private static final int HELP_WIDTH = 66;

  /** Names of the mode's kinds of operations; empty if it has one kind. */
  public final List<String> kinds;
  final int defaultSize;
  private final String what;

  Mode(int defaultSize, String what, String... kinds) {
    this.defaultSize = defaultSize;
    this.what = what;
    this.kinds = List.of(kinds);
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** @throws UsageException if no mode has the name */
  static Mode of(String word) {
    return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst()
      .orElseThrow(() -> new UsageException("there is no mode '" + word + "'; there are " + words()));
  }

  static String words() {
    return String.join(", ", Arrays.stream(values()).map(Mode::word).toList());
  }

  List<String> help() {
    String text = what + (kinds.isEmpty() ? "" : ": " + String.join(", ", kinds));
    int end = text.length() <= HELP_WIDTH ? text.length() : text.lastIndexOf(' ', HELP_WIDTH);
    String first = String.format("  %-9s%s", this, text.substring(0, end));
    return end == text.length() ? List.of(first) : List.of(first, " ".repeat(11) + text.substring(end + 1));
  }

  @Override
  public String toString() {
    return word();
  }
}
