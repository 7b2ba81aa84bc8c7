package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.process.FlightEvents;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;

/** Counts and keeps the last errors of a node. Thread-safe. */
final class ErrorLog {
  private static final int MAX = 16;

  private final ArrayDeque<String> last = new ArrayDeque<>();
  private long connectsFailed;
  private long refused;

  synchronized void lost(Throwable cause) {
    add(cause.getMessage());
  }

  /** Called when one fabric did not reach a peer. */
  synchronized void connectFailed(Throwable cause) {
    connectsFailed++;
    add(cause.getMessage());
  }

  synchronized void refused(String why) {
    refused++;
    FlightEvents.refusal(PeerText.of(why));
    add("refused: " + why);
  }

  private void add(String message) {
    if (last.size() == MAX) {
      last.removeFirst();
    }
    last.add(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + PeerText.of(message));
  }

  synchronized long connectsFailed() {
    return connectsFailed;
  }

  synchronized long refused() {
    return refused;
  }

  synchronized List<String> last() {
    return List.copyOf(last);
  }
}
