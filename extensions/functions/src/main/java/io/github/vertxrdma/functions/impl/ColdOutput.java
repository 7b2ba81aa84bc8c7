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
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Output of a cold worker. Lines that start with a token are messages to the server. Other lines are logged, at most {@link #MAX_LINES} a
 * second, and the last ones are kept for error messages. Thread-safe.
 */
final class ColdOutput {
  static final int MAX_LINE = 4_000;
  /** Maximum characters of a message. The rest is dropped, which makes the message invalid. */
  static final int MAX_MESSAGE = 1 << 20;
  static final int MAX_LINES = 200;
  private static final Logger LOG = LoggerFactory.getLogger(ColdOutput.class);
  private static final int LAST_LINES = 5;
  private static final int LAST_LINE = 200;
  private static final int CHUNK = 4 << 10;

  private final String name;
  private final String token;
  private final Consumer<String> messages;
  private final LongSupplier nanos;
  private final ArrayDeque<String> last = new ArrayDeque<>();
  private long second;
  private int lines;
  private long dropped;
  /** Remedy if the process could not start a thread; otherwise empty. */
  private String remedy = "";

  /**
   * @param token start of each message
   *
   * @param messages called by the reading thread with each message without the token
   */
  ColdOutput(String name, String token, Consumer<String> messages, LongSupplier nanos) {
    this.name = name;
    this.token = token;
    this.messages = messages;
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
            read(line, cut);
            line.setLength(0);
            cut = 0;
          } else if (line.length() < MAX_LINE || line.length() < MAX_MESSAGE && isMessage(line)) {
            line.append(chunk[i]);
          } else {
            cut++;
          }
        }
      }
    } catch (IOException e) {
      // The process was killed.
    }
    read(line, cut);
    reportDropped();
  }

  private boolean isMessage(StringBuilder line) {
    return line.lastIndexOf(token, 0) == 0;
  }

  private void read(StringBuilder line, long cut) {
    if (isMessage(line)) {
      messages.accept(line.substring(token.length()));
    } else if (!line.isEmpty()) {
      add(line, cut);
    }
  }

  private synchronized void add(StringBuilder read, long cut) {
    String line = PeerText.of(read.toString().replace('\t', ' ').stripTrailing(), MAX_LINE)
      + (cut == 0 ? "" : "… (" + cut + " more characters)");
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
