package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.events.FlightEvents;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;

/** Troubles of a node: their number, and the last of them in words. Thread-safe. */
final class Troubles {
  private static final int MAX = 16;
  /** Characters of one, since all are told in the node's statistics. */
  private static final int MAX_WORDS = 1024;

  private final ArrayDeque<String> last = new ArrayDeque<>();
  private long connectsFailed;
  private long refused;

  /** A connection broke. */
  synchronized void lost(Throwable cause) {
    add(cause.getMessage());
  }

  /** A peer was not reached over one fabric. */
  synchronized void connectFailed(Throwable cause) {
    connectsFailed++;
    add(cause.getMessage());
  }

  /** A peer was rejected, or did not finish its handshake. */
  synchronized void refused(String why) {
    refused++;
    FlightEvents.refusal(why);
    add("refused: " + why);
  }

  private void add(String words) {
    if (last.size() == MAX) {
      last.removeFirst();
    }
    String kept = words != null && words.length() > MAX_WORDS ? words.substring(0, MAX_WORDS) : words;
    last.add(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + kept);
  }

  synchronized long connectsFailed() {
    return connectsFailed;
  }

  synchronized long refused() {
    return refused;
  }

  /** The newest last. */
  synchronized List<String> last() {
    return List.copyOf(last);
  }
}
