package io.github.vertxrdma.simulator.referee;

import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks whether a history of plain reads and writes of one word is regular:
 * <ul>
 * <li>A read finds the value of a write that began before the read ended. No other write lies completely between this write and the read.
 * <li>A write with an unknown outcome takes effect at any time after its start, or never.
 * <li>No call of a client succeeds after a revoke.
 * </ul>
 * Each write must have a different value.
 */
public final class RegularReferee {
  /** The state of the word before the first write. */
  private static final WordCall NOTHING = new WordCall(WordCall.OWNER, Kind.WRITE, 0, 0, Long.MIN_VALUE, Long.MIN_VALUE, 0);

  private RegularReferee() {
  }

  /**
   * Checks a history of a word that is initially 0.
   *
   * @return why the history is not regular; null if it is regular
   */
  public static String judge(List<WordCall> calls) {
    Map<Long, WordCall> writes = of(calls, Kind.WRITE).collect(Collectors.toMap(WordCall::first, Function.identity()));
    writes.put(NOTHING.first(), NOTHING);
    long revoked = of(calls, Kind.REVOKE).mapToLong(WordCall::returned).min().orElse(WordCall.NEVER);
    for (WordCall call : calls) {
      if (call.isKnown() && call.client() != WordCall.OWNER && call.called() > revoked) {
        return call + " after the revoke";
      }
    }
    for (WordCall read : of(calls, Kind.READ).filter(WordCall::isKnown).toList()) {
      WordCall write = writes.get(read.found());
      if (write == null || write.called() > read.returned()) {
        return read + ", which no writer had written";
      }
      for (WordCall later : writes.values()) {
        if (later.called() > write.returned() && later.returned() < read.called()) {
          return read + ", which was replaced: " + later;
        }
      }
    }
    return judgeEnd(calls, revoked);
  }

  /** Checks that all reads of the owner after a revoke find the same value. */
  private static String judgeEnd(List<WordCall> calls, long revoked) {
    List<WordCall> last = of(calls, Kind.READ).filter(read -> read.client() == WordCall.OWNER && read.called() > revoked)
      .sorted(Comparator.comparingLong(WordCall::called)).toList();
    return last.stream().filter(read -> read.found() != last.getFirst().found()).findFirst()
      .map(read -> read + " after the revoke, and before that " + last.getFirst().found()).orElse(null);
  }

  private static Stream<WordCall> of(List<WordCall> calls, Kind kind) {
    return calls.stream().filter(call -> call.kind() == kind);
  }
}
