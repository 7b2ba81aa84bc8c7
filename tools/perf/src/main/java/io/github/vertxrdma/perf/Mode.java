package io.github.vertxrdma.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What can be measured. */
enum Mode {
  /** A message and its echo. */
  LATENCY(false, 64),
  /** Messages one way, by bytes. */
  BANDWIDTH(true, 1 << 20),
  /** Messages one way, by number. */
  RATE(true, 64),
  /** Remote reads. */
  READ(false, 64),
  /** Remote writes. */
  WRITE(false, 64),
  /** A notified write and one back. */
  NOTIFY(false, 64),
  /** Remote fetch-and-add. */
  ATOMIC(false, 8),
  /** Connections made and closed. */
  CONNECT(false, 0),
  /** Requests over the clustered event bus. */
  BUS(false, 64),
  /** HTTP/1.1 requests. */
  HTTP(true, 64),
  /** Remote functions, called on leased workers. */
  FUNCTION(false, 64);

  /** Whether a run is judged by what it moves in a second, and not by how long one operation takes. */
  final boolean throughput;
  final int defaultSize;

  Mode(boolean throughput, int defaultSize) {
    this.throughput = throughput;
    this.defaultSize = defaultSize;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Those that are measurements, and what else may stand in the place of one. */
  static List<String> words() {
    List<String> words = new ArrayList<>();
    for (Mode mode : values()) {
      words.add(mode.word());
    }
    words.addAll(List.of("report", "sweep", "idle"));
    return words;
  }

  static Mode of(String word) {
    for (Mode mode : values()) {
      if (mode.word().equals(word)) {
        return mode;
      }
    }
    throw new UsageException("there is no mode '" + word + "'; there are " + String.join(", ", words()) + "; see ./rdma perf --help");
  }
}
