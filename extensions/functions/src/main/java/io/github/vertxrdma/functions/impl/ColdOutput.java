package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Logs the output of a cold worker, at most {@link #MAX_LINES} lines a second. Keeps the last lines for error messages. Thread-safe. */
final class ColdOutput {
  static final int MAX_LINE = 4_000;
  static final int MAX_LINES = 200;
  private static final Logger LOG = LoggerFactory.getLogger(ColdOutput.class);
  private static final int LAST_LINES = 5;
  private static final int LAST_LINE = 200;
  private static final int CHUNK = 4 << 10;

  private final String name;
  private final LongSupplier nanos;
  private final ArrayDeque<String> last = new ArrayDeque<>();
  private long second;
  private int lines;
  private long dropped;
  /** Remedy if the process could not start a thread; otherwise empty. */
  private String remedy = "";

  ColdOutput(String name, LongSupplier nanos) {
    this.name = name;
    this.nanos = nanos;
    this.second = nanos.getAsLong();
  }

  /** Blocks until the stream ends. */
  void read(InputStream from) {
    StringBuilder line = new StringBuilder();
    long cut = 0;
    try (Reader in = new InputStreamReader(from, StandardCharsets.UTF_8)) {
      char[] chunk = new char[CHUNK];
      for (int n; (n = in.read(chunk)) >= 0;) {
        for (int i = 0; i < n; i++) {
          if (chunk[i] == '\n') {
            add(line, cut);
            line.setLength(0);
            cut = 0;
          } else if (line.length() < MAX_LINE) {
            line.append(chunk[i] == '\t' ? ' ' : chunk[i]);
          } else {
            cut++;
          }
        }
      }
    } catch (IOException e) {
      // The process was killed.
    }
    if (!line.isEmpty()) {
      add(line, cut);
    }
    reportDropped();
  }

  private synchronized void add(StringBuilder read, long cut) {
    String line = PeerText.of(read.toString().stripTrailing(), MAX_LINE) + (cut == 0 ? "" : "… (" + cut + " more characters)");
    remedy = remedy.isEmpty() ? ThreadLimit.remedy(line) : remedy;
    last.add(line.length() > LAST_LINE ? line.substring(0, LAST_LINE) + '…' : line);
    if (last.size() > LAST_LINES) {
      last.poll();
    }
    if (nanos.getAsLong() - second >= TimeUnit.SECONDS.toNanos(1)) {
      reportDropped();
      second = nanos.getAsLong();
      lines = 0;
    }
    if (lines == MAX_LINES) {
      dropped++;
    } else {
      lines++;
      LOG.info("Worker process " + name + ": " + line);
    }
  }

  private synchronized void reportDropped() {
    if (dropped > 0) {
      LOG.warn("Worker process " + name + " prints more than " + MAX_LINES + " lines in a second: " + dropped + " were dropped");
      dropped = 0;
    }
  }

  /** Returns the last lines as a part of a message. */
  synchronized String last() {
    return last.isEmpty() ? "" : (remedy.isEmpty() ? "; its" : remedy + " Its") + " last output: " + String.join(" | ", last);
  }
}
