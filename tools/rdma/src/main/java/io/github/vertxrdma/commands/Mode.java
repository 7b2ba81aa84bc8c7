package io.github.vertxrdma.commands;

import java.util.Arrays;
import java.util.Locale;

/** Workloads of {@code perf}. */
public enum Mode {
  LATENCY(64, "a message and its echo"),
  BANDWIDTH(1 << 20, "messages one way, 1 MiB unless said otherwise"),
  RATE(64, "messages one way, 64 bytes"),
  READ(64, "remote reads"),
  WRITE(64, "remote writes, until delivered"),
  NOTIFY(64, "a notified write and one back"),
  ATOMIC(8, "remote fetch-and-add"),
  CONNECT(0, "connections made and closed"),
  STREAMS(0, "connections of a NetClient to a wildcard server, opened and closed"),
  PROOFS(0, "the same, with the proof of the path for each connection"),
  BUS(64, "event bus requests, a body there and back"),
  START(0, "a clustered node that joins another, until its first answer"),
  SERVICE(64, "requests to an address that an rdma: verticle offers, from code"),
  ADDRESS(64, "the same as requests of the client's own event bus"),
  HTTP(64, "HTTP/1.1 requests, a body there and back"),
  CONTRACT(64, "unary calls of a contract, a message there and back"),
  FUNCTION(64, "remote functions that return their arguments"),
  SPARSE(64, "a request every 20 ms: over the event bus, then over a connection"),
  /** All goals; no measurement by itself, as those that follow. */
  REPORT(0, "all goals, as the tables of docs/performance.adoc; half an hour"),
  PING(64, "latency in each second of new processes, beside other policies"),
  POLICY(64, "bus requests beside 0, 2 and 4 busy processes: spread, ratio to TCP"),
  SWEEP(0, "options of a node with several values on a fabric"),
  IDLE(0, "heap of idle connections, 1,000 unless said otherwise"),
  BUILDS(64, "this build and another: processor time and garbage of an echo"),
  GROWTH(64, "clusters of 2 to 32 nodes: a node's cost, joins, leaves, crashes");

  /** Bytes of an operation unless said otherwise. */
  public final int defaultSize;
  final String what;

  Mode(int defaultSize, String what) {
    this.defaultSize = defaultSize;
    this.what = what;
  }

  /** As the command line and a row name it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Tells whether it is one workload, which has peers to measure against. */
  boolean isWorkload() {
    return compareTo(REPORT) < 0;
  }

  /** @throws UsageException if there is none of that name */
  public static Mode of(String word) {
    for (Mode mode : values()) {
      if (mode.word().equals(word)) {
        return mode;
      }
    }
    throw new UsageException("there is no mode '" + word + "'; there are " + words());
  }

  static String words() {
    return String.join(", ", Arrays.stream(values()).map(Mode::word).toList());
  }

  @Override
  public String toString() {
    return word();
  }
}
