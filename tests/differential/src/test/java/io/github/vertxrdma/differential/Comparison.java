package io.github.vertxrdma.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rule of the suite: no outcome may be worse than that of stock Vert.x. Not compared are completions that wait for the full window of a
 * paused or stopped reader, and losses after a pause longer than Vert.x waits for a ping of the event bus.
 */
final class Comparison {
  /** Part of the log line about a peer that uses TCP. */
  private static final String TCP_LINE = " WARNING io.github.vertxrdma.impl.node.Ways ";
  /** Milliseconds by which an event may be later than with stock Vert.x. */
  static final long LATER_MILLIS = 1000;

  private Comparison() {
  }

  /** Returns the outcomes that are worse than with stock Vert.x. */
  static List<Difference> differences(Row row, Outcome stock, Outcome ours) {
    List<Difference> found = new ArrayList<>();
    // A socket closes at once, but a fabric first waits for the reader's window, while Vert.x writes to the closing connection.
    boolean lossesCompared = !row.ending().isBeyondPings();
    if (lossesCompared && !ours.lost().isEmpty() && stock.lost().isEmpty()) {
      found.add(difference(ours.lost().size() + " of " + ours.completed().size() + " completed messages did not arrive, stock lost none: "
        + some(ours.lost())));
    }
    if (lossesCompared && row.ending().isGraceful() && !ours.missing().isEmpty() && stock.missing().isEmpty()) {
      found.add(difference(ours.missing().size() + " of " + ours.written() + " messages before a close that was awaited did not arrive: "
        + some(ours.missing())));
    }
    if (!ours.isInOrder() && stock.isInOrder()) {
      found.add(difference("messages arrived twice or in another order: " + ours.received()));
    }
    if (ours.wrong() > 0 && stock.wrong() == 0) {
      found.add(difference(ours.wrong() + " of " + ours.received().size() + " messages had wrong bytes"));
    }
    if (!ours.failed().isEmpty() && stock.failed().isEmpty()) {
      found.add(difference("writes failed: " + some(ours.failed())));
    } else {
      later(found, "writes failed after", ours.failedAfterMillis(), stock.failedAfterMillis());
    }
    if (row.ending() == Ending.CONNECT_STOPPED_5) {
      // The fabric has one second to answer before TCP is taken.
      later(found, "it was connected after", ours.connectedAfterMillis(), stock.connectedAfterMillis() + LATER_MILLIS);
    }
    if (row.reader() != Reader.PAUSED && row.ending().isGraceful() && ours.pending() > 0 && stock.pending() == 0) {
      found.add(difference(ours.pending() + " of " + ours.written() + " writes neither completed nor failed"));
    }
    if (ours.lateCompletions() > stock.lateCompletions()) {
      found.add(difference(ours.lateCompletions() + " writes completed after the close handler, with stock " + stock.lateCompletions()));
    }
    if (row.load().awaited() && !row.isLimitedByWindow() && ours.completed().size() < stock.completed().size()
      && !row.ending().isSteady()) {
      found.add(difference(ours.completed().size() + " writes completed, with stock " + stock.completed().size()));
    }
    if (ours.exceptions() > stock.exceptions()) {
      found.add(
        difference("exception handlers were called: " + ours.readerEvents() + " at the reader, " + ours.writerEvents() + " at the writer"));
    } else if (stock.exceptions() > 0) {
      // The events after an exception of stock Vert.x depend on time.
      return found;
    } else if (!closes(row, ours.readerEvents()).equals(closes(row, stock.readerEvents()))) {
      found.add(difference("the reader observed " + ours.readerEvents() + ", with stock " + stock.readerEvents()));
    } else if (!closes(row, ours.writerEvents()).containsAll(closes(row, stock.writerEvents()))) {
      found.add(difference("the writer observed " + ours.writerEvents() + ", with stock " + stock.writerEvents()));
    }
    return found;
  }

  /** With a full window a close waits until the reader reads. Otherwise it comes before the end of the bytes. */
  private static List<String> closes(Row row, List<String> events) {
    Stream<String> known = events.stream().map(event -> event.replaceFirst(" answer .*", ""));
    return row.isLimitedByWindow() ? known.sorted().toList() : known.toList();
  }

  private static String some(List<Integer> numbers) {
    return numbers.size() <= 12 ? numbers.toString() : numbers.subList(0, 12) + " …";
  }

  static List<Difference> differences(GroupOutcome stock, GroupOutcome ours) {
    List<Difference> found = new ArrayList<>();
    if (ours.error() != null) {
      found.add(new Difference("it could not be carried out: " + ours.error(), true));
      return found;
    }
    if (ours.exit() != stock.exit()) {
      found.add(difference("exit code " + ours.exit() + ", with stock " + stock.exit()));
    }
    List<String> severes = new ArrayList<>(others(stock.severes(), ours.severes()));
    if (ours.rows().keySet().stream().anyMatch(row -> row.ending().isBeyondPings())) {
      severes.removeIf(line -> line.endsWith("Promise already completed"));
    }
    if (!severes.isEmpty()) {
      found.add(difference(severes.size() + " lines of level SEVERE that stock does not log: " + few(severes)));
    }
    List<String> warnings = new ArrayList<>(others(stock.warnings(), ours.warnings()));
    // A busy machine recognizes connections late.
    warnings.removeIf(line -> line.contains(TCP_LINE));
    boolean failed = ours.rows().values().stream().anyMatch(outcome -> !outcome.failed().isEmpty());
    if (warnings.size() > (failed ? 1 : 0)) {
      found.add(difference(warnings.size() + " lines of level WARNING that stock does not log: " + few(warnings)));
    }
    boolean windowFull = ours.rows().keySet().stream().anyMatch(row -> row.reader() == Reader.PAUSED);
    if (!windowFull) {
      later(found, "the close took", ours.endedAfterMillis(), stock.endedAfterMillis());
    }
    later(found, "stop() was called after", ours.stopAfterMillis(), stock.stopAfterMillis());
    return found;
  }

  /** Returns the lines whose text without numbers stock does not log. */
  private static List<String> others(List<String> stock, List<String> ours) {
    Set<String> known = stock.stream().map(Comparison::withoutNumbers).collect(Collectors.toSet());
    return ours.stream().filter(line -> !known.contains(withoutNumbers(line))).toList();
  }

  private static String withoutNumbers(String line) {
    return line.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "#");
  }

  private static String few(List<String> lines) {
    return lines.size() <= 3 ? lines.toString() : lines.subList(0, 3) + " …";
  }

  private static Difference difference(String text) {
    return new Difference(text, false);
  }

  /** @param ours milliseconds; -1 if it did not happen */
  private static void later(List<Difference> found, String what, long ours, long stock) {
    if (ours > stock + LATER_MILLIS || ours < 0 && stock >= 0) {
      found.add(new Difference(what + ' ' + ours + " ms, with stock " + stock + " ms", ours >= 0));
    }
  }
}
