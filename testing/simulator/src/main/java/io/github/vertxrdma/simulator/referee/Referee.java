package io.github.vertxrdma.simulator.referee;

import io.github.vertxrdma.simulator.referee.Call.Kind;
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
 * Judges whether a history of calls on one word is linearizable: whether some order of them, in which no call comes before one that had
 * returned when it was made, explains every answer. A call whose outcome is unknown may have its place in the order or none.
 *
 * <p>The search is that of Wing and Gong (Testing and verifying concurrent objects, 1993) with Lowe's pruning (Testing for linearizability,
 * 2017): what is left to order depends on the calls that have their place and on the state, so no such pair is looked at twice. Calls with
 * answers go first, since additions of random numbers leave hardly a choice among them.
 */
public final class Referee {
  /** Pairs of calls and state after which the search gives up: far more than histories of a thousand calls take. */
  private static final int MOST_VISITS = 500_000;

  /** The word as a sequence of calls leaves it. */
  private record State(long value, boolean revoked) {
    /** @return the state that follows; null if the call cannot be answered so */
    State after(Call call) {
      if (revoked && call.client() != Call.OWNER || call.isKnown() && call.kind() != Kind.REVOKE && call.found() != value) {
        return null;
      }
      return switch (call.kind()) {
        case ADD -> new State(value + call.first(), revoked);
        case EXCHANGE -> value == call.first() ? new State(call.second(), revoked) : this;
        case READ -> this;
        case WRITE -> throw new IllegalArgumentException(call + ", of which RegularReferee judges");
        case REVOKE -> new State(value, true);
      };
    }
  }

  private record Visit(BitSet placed, State state) {
  }

  /** A place in the order: what may come there, and what of that was tried. */
  private static final class Place {
    final State before;
    final List<Integer> candidates;
    int tried;

    Place(State before, List<Integer> candidates) {
      this.before = before;
      this.candidates = candidates;
    }
  }

  private final List<Call> calls;
  private final BitSet placed = new BitSet();
  private final Set<Visit> visits = new HashSet<>();
  private final Deque<Place> order = new ArrayDeque<>();
  private int left;
  private int fewestLeft = Integer.MAX_VALUE;
  private String farthest;

  private Referee(List<Call> calls) {
    this.calls = calls.stream().sorted(Comparator.comparingLong(Call::called)).toList();
    left = (int) calls.stream().filter(Call::isKnown).count();
  }

  /** @return why no order of the calls on a word that was 0 explains them; null if there is one */
  public static String judge(List<Call> calls) {
    Map<Boolean, List<Call>> ordered = calls.stream().collect(Collectors.partitioningBy(Call::isOrdered));
    String error = new Referee(ordered.get(true)).search();
    for (Call read : ordered.get(false)) {
      if (error == null && read.isKnown()) {
        List<Call> with = new ArrayList<>(ordered.get(true));
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
          return "not decided after " + MOST_VISITS + " states; " + farthest;
        }
      }
    }
    return null;
  }

  /** Gives the next candidate its place. @return the state after it; null if it cannot be there, or what follows was tried */
  private State place(Place place) {
    int candidate = place.candidates.get(place.tried++);
    Call call = calls.get(candidate);
    State after = place.before.after(call);
    // Without an effect an unknown call may as well have no place.
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

  /** Calls that may come next: made before any other that has no place yet had returned. Unknown ones after which another fits go first. */
  private List<Integer> candidates(State state) {
    List<Integer> known = new ArrayList<>();
    List<Integer> unknown = new ArrayList<>();
    long firstReturn = Call.NEVER;
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

  private static boolean fits(State state, Call call) {
    return state != null && state.after(call) != null;
  }
}
