package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.process.FlightEvents;
import io.github.vertxrdma.statistics.EndedNode;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.RefusalCount;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Counts the errors of a node, and keeps the last {@value #MAX}. Thread-safe. */
final class ErrorLog {
  private static final int MAX = 16;
  private static final int MAX_LINES = 256;

  private final ArrayDeque<String> last = new ArrayDeque<>();
  private final Set<String> lines = new LinkedHashSet<>();
  private long connectsFailed;
  private final Map<Reason, Long> refused = new EnumMap<>(Reason.class);
  private EndedNodes ended = new EndedNodes(0, 0, 0, List.of());

  ErrorLog() {
    // Creates the counters with 0, so that monitoring sees the first increase.
    List.of(Reason.NOT_AUTHENTIC, Reason.REJECTED, Reason.NOT_FOUND, Reason.ACCESS_DENIED, Reason.LIMIT, Reason.TIMEOUT, Reason.PROTOCOL)
      .forEach(reason -> refused.put(reason, 0L));
  }

  synchronized void lost(Throwable cause) {
    add(cause.getMessage());
  }

  synchronized void connectFailed(Throwable cause) {
    connectsFailed++;
    add(cause.getMessage());
  }

  /** Returns whether a line was not logged recently. */
  synchronized boolean isNews(String line) {
    if (!lines.add(line)) {
      return false;
    }
    if (lines.size() > MAX_LINES) {
      lines.remove(lines.iterator().next());
    }
    return true;
  }

  /** Forgets logged failures of a target over a device, so that the next failure is logged. */
  synchronized void reached(String target, String device) {
    if (!lines.isEmpty()) {
      lines.removeIf(line -> line.startsWith(target + " was not reached over " + device + ','));
    }
  }

  synchronized void refused(Reason reason, String why) {
    refused.merge(reason, 1L, Long::sum);
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
    return refused.values().stream().mapToLong(Long::longValue).sum();
  }

  synchronized List<RefusalCount> refusals() {
    return refused.entrySet().stream()
      .map(each -> new RefusalCount(each.getKey().name().toLowerCase(Locale.ROOT).replace('_', '-'), each.getValue())).toList();
  }

  /** Counts a connected node that ended or was lost. @param certain true if its process has ended */
  synchronized void ended(String nodeId, String name, boolean orderly, boolean certain) {
    List<EndedNode> nodes = new ArrayList<>(ended.last());
    if (nodes.size() == MAX) {
      nodes.removeFirst();
    }
    nodes.add(new EndedNode(nodeId, name, orderly ? "orderly" : certain ? "crashed" : "unreachable", System.currentTimeMillis()));
    ended = new EndedNodes(ended.orderly() + (orderly ? 1 : 0), ended.crashed() + (certain && !orderly ? 1 : 0),
      ended.unreachable() + (certain ? 0 : 1), List.copyOf(nodes));
  }

  synchronized EndedNodes ended() {
    return ended;
  }

  synchronized List<String> last() {
    return List.copyOf(last);
  }
}
