package io.github.vertxrdma.simulator.referee;

import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks whether a history of calls on one word is linearizable: some sequential order of the calls explains every result. In this order a
 * call that returned before another call began comes first. A call with an unknown outcome may be left out.
 *
 * <p>The search is that of Wing and Gong (Testing and verifying concurrent objects, 1993) with Lowe's pruning (Testing for linearizability,
 * 2017), which visits each pair of placed calls and state once.
 */
public final class Referee {
  /** Maximum number of visited pairs of placed calls and state. Beyond this number, the search fails as undecided. */
  private static final int MOST_VISITS = 500_000;

  private record State(long value, boolean revoked) {
    /** Returns the state after a call, or null if the call cannot have its recorded result in this state. */
    State after(WordCall call) {
      if (revoked && call.client() != WordCall.OWNER || call.isKnown() && call.kind() != Kind.REVOKE && call.found() != value) {
        return null;
      }
      return switch (call.kind()) {
        case ADD -> new State(value + call.first(), revoked);
        case EXCHANGE -> value == call.first() ? new State(call.second(), revoked) : this;
        case READ -> this;
        case WRITE -> throw new IllegalArgumentException(call + " is a plain write; use RegularReferee");
        case REVOKE -> new State(value, true);
      };
    }
  }

  private record Visit(BitSet placed, State state) {
  }

  /** Position in the order, with the calls that may stand there. */
  private static final class Place {
    final State before;
    final List<Integer> candidates;
    int tried;

    Place(State before, List<Integer> candidates) {
      this.before = before;
      this.candidates = candidates;
    }
  }

  private final List<WordCall> calls;
  private final BitSet placed = new BitSet();
  private final Set<Visit> visits = new HashSet<>();
  private final Deque<Place> order = new ArrayDeque<>();
  private int left;
  private int fewestLeft = Integer.MAX_VALUE;
  private String farthest;

  private Referee(List<WordCall> calls) {
    this.calls = calls.stream().sorted(Comparator.comparingLong(WordCall::called)).toList();
    left = (int) calls.stream().filter(WordCall::isKnown).count();
  }

  /**
   * Checks a history of a word that is initially 0.
   *
   * @return why no order of the calls explains their results; null if an order does
   */
  public static String judge(List<WordCall> calls) {
    Map<Boolean, List<WordCall>> ordered = calls.stream().collect(Collectors.partitioningBy(WordCall::isOrdered));
    String error = new Referee(ordered.get(true)).search();
    for (WordCall read : ordered.get(false)) {
      if (error == null && read.isKnown()) {
        List<WordCall> with = new ArrayList<>(ordered.get(true));
        with.add(read);
        error = new Referee(with).search();
      }
    }
    return error;
  }

  private String search() {
    order.push(new Place(new State(0, false), candidates(new State(0, false))));
    while (left > 0) {
      Place place = order.element();
      if (place.tried == place.candidates.size()) {
        order.pop();
        if (order.isEmpty()) {
          return farthest;
        }
        remove(order.element());
      } else {
        State after = place(place);
        if (after != null) {
          order.push(new Place(after, candidates(after)));
        }
        if (visits.size() > MOST_VISITS) {
          return "no decision after " + MOST_VISITS + " states; " + farthest;
        }
      }
    }
    return null;
  }

  /** Places the next candidate. @return the state after the call; null if it does not fit, or was visited before */
  private State place(Place place) {
    int candidate = place.candidates.get(place.tried++);
    WordCall call = calls.get(candidate);
    State after = place.before.after(call);
    // A call with an unknown outcome that changes nothing can be left out.
    if (after == null || !call.isKnown() && after.equals(place.before)) {
      return null;
    }
    placed.set(candidate);
    if (!visits.add(new Visit((BitSet) placed.clone(), after))) {
      placed.clear(candidate);
      return null;
    }
    left -= call.isKnown() ? 1 : 0;
    return after;
  }

  private void remove(Place place) {
    int candidate = place.candidates.get(place.tried - 1);
    placed.clear(candidate);
    left += calls.get(candidate).isKnown() ? 1 : 0;
  }

  /**
   * Returns the unplaced calls that began before any unplaced call returned. Known calls come first, then unknown calls that make a known
   * one possible.
   */
  private List<Integer> candidates(State state) {
    List<Integer> known = new ArrayList<>();
    List<Integer> unknown = new ArrayList<>();
    long firstReturn = WordCall.NEVER;
    for (int i = placed.nextClearBit(0); i < calls.size() && calls.get(i).called() <= firstReturn; i = placed.nextClearBit(i + 1)) {
      firstReturn = Math.min(firstReturn, calls.get(i).returned());
      (calls.get(i).isKnown() ? known : unknown).add(i);
    }
    if (left < fewestLeft) {
      fewestLeft = left;
      farthest = "with " + left + " calls left the word is " + state + ", and none of these comes next: "
        + known.stream().map(i -> calls.get(i).toString()).toList();
    }
    unknown.sort(Comparator.comparing(i -> known.stream().noneMatch(k -> fits(state.after(calls.get(i)), calls.get(k)))));
    known.addAll(unknown);
    return known;
  }

  private static boolean fits(State state, WordCall call) {
    return state != null && state.after(call) != null;
  }
}
