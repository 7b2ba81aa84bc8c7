package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Order in which a client tries the instances of a service. Thread-safe. */
public final class Instances {
  private static final Comparator<ServiceEntry> BY_PLACE = Comparator.comparing(ServiceEntry::nodeId)
    .thenComparingInt(ServiceEntry::instance).thenComparing(ServiceEntry::name);

  private final Predicate<String> suspected;
  private final DoubleSupplier chance;
  private final Comparator<ServiceEntry> byRank = Comparator.comparingInt(this::rank);
  private final Map<String, AtomicInteger> turns = new ConcurrentHashMap<>();
  private final Set<Place> avoided = ConcurrentHashMap.newKeySet();

  private record Place(String name, String nodeId, long epoch, int instance) {
    static Place of(ServiceEntry entry) {
      return new Place(entry.name(), entry.nodeId(), entry.epoch(), entry.instance());
    }
  }

  /**
   * @param suspected returns whether the node with this id is silent
   * @param chance returns a random number from 0 to less than 1, to select a name's first instance
   */
  public Instances(Predicate<String> suspected, DoubleSupplier chance) {
    this.suspected = suspected;
    this.chance = chance;
  }

  /**
   * Returns instances in the order in which to try them. Instances on silent nodes come later, avoided ones last.
   *
   * @param preference order within these groups, or null for round robin
   */
  public List<ServiceEntry> order(Collection<ServiceEntry> listed, Comparator<ServiceEntry> preference) {
    List<ServiceEntry> order = new ArrayList<>(listed);
    if (order.size() < 2) {
      return order;
    }
    order.sort(BY_PLACE);
    if (preference != null) {
      order.sort(preference);
    } else {
      Collections.rotate(order, -Math.floorMod(turn(order.getFirst().name()), order.size()));
    }
    if (!avoided.isEmpty()) {
      retain(order.getFirst().name(), order);
    }
    order.sort(byRank);
    return order;
  }

  private int turn(String name) {
    return turns.computeIfAbsent(name, n -> new AtomicInteger((int) (chance.getAsDouble() * Short.MAX_VALUE))).getAndIncrement();
  }

  private int rank(ServiceEntry instance) {
    return !avoided.isEmpty() && avoided.contains(Place.of(instance)) ? 2 : suspected.test(instance.nodeId()) ? 1 : 0;
  }

  public boolean anyResponds(List<ServiceEntry> listed) {
    return listed.stream().anyMatch(instance -> !suspected.test(instance.nodeId()));
  }

  /** Moves an instance that accepts no calls behind all others, while the directory lists it. */
  public void avoid(ServiceEntry instance, List<ServiceEntry> listed) {
    retain(instance.name(), listed);
    avoided.add(Place.of(instance));
  }

  private void retain(String name, List<ServiceEntry> listed) {
    Set<Place> places = listed.stream().map(Place::of).collect(Collectors.toSet());
    avoided.removeIf(place -> place.name.equals(name) && !places.contains(place));
  }

  /** Returns why a call failed, for a message that names the call already. The cause has the details of a lost connection. */
  public static String words(Throwable cause, String peer) {
    Reason reason = cause instanceof RdmaException end ? end.reason() : Reason.OTHER;
    return reason == Reason.CONNECTION_LOST ? "the connection to " + peer + " was lost"
      : reason == Reason.CLOSED ? "the connection to " + peer + " was closed"
        : cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /** Returns the failure of a call to a service after the end of the connection. */
  static RdmaException named(String service, RdmaException end) {
    return new RdmaException(end.reason(), service + " gave no reply: " + words(end, "it"), end, end.isEffectUnknown());
  }

  /** Returns whether a write failed before any byte was sent, so that the peer has not begun the call. */
  public static boolean isUnsent(Throwable cause) {
    return cause instanceof RdmaException end && !end.isEffectUnknown()
      && (end.reason() == Reason.CONNECTION_LOST || end.reason() == Reason.CLOSED);
  }

  /**
   * Tries instances until one succeeds.
   *
   * @param stop returns true for a failure that ends the search
   * @return fails with the last failure
   */
  public static <T> Future<T> first(List<ServiceEntry> order, Function<ServiceEntry, Future<T>> attempt, Predicate<Throwable> stop) {
    Future<T> first = attempt.apply(order.getFirst());
    if (first.succeeded() || order.size() == 1) {
      return first;
    }
    // A single promise, since chained futures would overflow the stack.
    Promise<T> promise = Promise.promise();
    next(first, order, 1, attempt, stop, promise);
    return promise.future();
  }

  private static <T> void next(Future<T> current, List<ServiceEntry> order, int next, Function<ServiceEntry, Future<T>> attempt,
    Predicate<Throwable> stop, Promise<T> promise) {
    current.onComplete((result, cause) -> {
      if (cause == null) {
        promise.complete(result);
      } else if (next == order.size() || stop.test(cause)) {
        promise.fail(cause);
      } else {
        next(attempt.apply(order.get(next)), order, next + 1, attempt, stop, promise);
      }
    });
  }
}
