package io.github.vertxrdma.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Observations of a row. Messages are numbered from 1; 0 is written when the connection is made.
 *
 * @param written number of the last message; 0 if the writer ended before its report
 * @param completed completed writes, in the order of completion
 * @param failed failed writes
 * @param failedAfterMillis time from the ending to the first failure; 0 if none
 * @param connectedAfterMillis duration of a connect to a stopped reader; -1 if it failed
 * @param lateCompletions completions after the close handler
 * @param received messages in order of arrival
 * @param wrong messages with wrong bytes
 * @param readerEvents calls of the reader's handlers for end, exception and close
 * @param writerEvents calls of the writer's handlers for exception, close and answer
 */
record Outcome(int written, List<Integer> completed, List<Integer> failed, long failedAfterMillis, long connectedAfterMillis,
  int lateCompletions, List<Integer> received, int wrong, List<String> readerEvents, List<String> writerEvents) {

  /** Returns the completed messages that did not arrive. */
  List<Integer> lost() {
    Set<Integer> arrived = new HashSet<>(received);
    return completed.stream().filter(number -> !arrived.contains(number)).toList();
  }

  /** Returns the written messages that did not arrive. */
  List<Integer> missing() {
    Set<Integer> arrived = new HashSet<>(received);
    List<Integer> missing = new ArrayList<>();
    for (int i = 1; i <= written; i++) {
      if (!arrived.contains(i)) {
        missing.add(i);
      }
    }
    return missing;
  }

  /** Returns the number of writes that neither completed nor failed. */
  int pending() {
    return Math.max(0, written - completed.size() - failed.size());
  }

  boolean isInOrder() {
    for (int i = 1; i < received.size(); i++) {
      if (received.get(i) <= received.get(i - 1)) {
        return false;
      }
    }
    return true;
  }

  int exceptions() {
    return (int) (readerEvents.stream().filter(Outcome::isException).count()
      + writerEvents.stream().filter(Outcome::isException).count());
  }

  private static boolean isException(String event) {
    return event.startsWith("exception");
  }
}
