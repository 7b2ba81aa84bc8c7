package io.github.vertxrdma.simulator.world;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.memory.Courier;
import io.github.vertxrdma.provider.devices.memory.Parcel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Simulated network below {@link io.github.vertxrdma.provider.devices.memory.InMemoryFabric}. Parcels (messages, accesses and answers) take
 * time, can fail, wait while two domains are cut off, and are lost when a domain dies. Domains are numbered in the order in which the
 * fabric opened them.
 */
public final class Network implements Courier {
  /** Additional time until the end of a dead domain is reported, if the devices report deaths. */
  private static final long DEATH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  /** Time for which a device retries before it reports an unreachable domain. */
  private static final long RETRIES_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  public interface Watcher {
    /** Called at each fault with the numbers of the affected domains, or -1 for all. */
    void disturbed(Fault fault, int from, int to);
  }

  private static final class OrderedFlow {
    long last;
    /** True after a parcel of a connection failed. Later messages and accesses are lost. */
    boolean broken;
    final ArrayDeque<Flight> flights = new ArrayDeque<>();
  }

  private static final class Flight {
    final Parcel parcel;
    Runnable cancel;

    Flight(Parcel parcel) {
      this.parcel = parcel;
    }
  }

  private final VirtualTime time;
  private final SplittableRandom random;
  private final Weather weather;
  private final Trace trace;
  private final Watcher watcher;
  private final Map<Object, Map<Long, OrderedFlow>> flows = new IdentityHashMap<>();
  private final BitSet dead = new BitSet();
  /** Domains whose posts are never refused. */
  private final BitSet spared = new BitSet();
  /** End of the cut between two domains, in nanoseconds. */
  private final Map<Long, Long> cut = new HashMap<>();
  /** Completions of connectionless posts to dead domains. They run after another domain takes the address. */
  private final Map<Integer, List<Runnable>> kept = new HashMap<>();
  private final BitSet replaced = new BitSet();
  /** Arrival time of the last message from one domain to another. */
  private final Map<Long, Long> lastArrivals = new HashMap<>();
  private final boolean reportsDeaths;
  private final boolean ordered;
  private final boolean connectionless;
  private boolean calm;

  public Network(VirtualTime time, long seed, Weather weather, Capabilities capabilities, boolean connectionless, Trace trace,
    Watcher watcher) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.weather = weather;
    this.trace = trace;
    this.watcher = watcher;
    reportsDeaths = capabilities.peerFailureEvents();
    ordered = capabilities.promises(Capabilities.Order.SEND_AFTER_SEND);
    this.connectionless = connectionless;
  }

  public void calm() {
    calm = true;
    cut.clear();
  }

  public void spare(int domain) {
    spared.set(domain);
  }

  /** Kills a domain. Its parcels in flight may still arrive. Parcels to it do not. */
  public void kill(int domain) {
    dead.set(domain);
  }

  /** Gives the address of a dead domain to another domain. */
  public void replace(int domain) {
    replaced.set(domain);
    kept.getOrDefault(domain, List.of()).forEach(end -> time.after(RETRIES_NANOS, end));
    kept.remove(domain);
  }

  private void endOfDead(int domain, Runnable end) {
    if (weather.bouncesToDead() || replaced.get(domain)) {
      time.after(RETRIES_NANOS, end);
    } else {
      kept.computeIfAbsent(domain, dead -> new ArrayList<>()).add(end);
    }
  }

  public void cut(int a, int b, long nanos) {
    cut.put(pair(a, b), time.now() + nanos);
    watcher.disturbed(Fault.CUT, a, b);
  }

  public boolean isCut(int a, int b) {
    return cut.getOrDefault(pair(a, b), 0L) > time.now();
  }

  private static long way(int from, int to) {
    return (long) from << 32 | to;
  }

  public long lastMessage(int from, int to) {
    return lastArrivals.getOrDefault(way(from, to), 0L);
  }

  private static long pair(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }

  @Override
  public void carry(Parcel parcel) {
    int from = parcel.from();
    int to = parcel.to();
    trace.note("carry", from, parcel.cargo().ordinal(), to);
    if (from >= 0 && dead.get(from) && parcel.cargo() != Cargo.END) {
      if (connectionless && parcel.cargo() == Cargo.ANSWER) {
        endOfDead(from, parcel::deliver);
      }
      return;
    }
    OrderedFlow flow = flows.computeIfAbsent(parcel.flow(), key -> new HashMap<>())
      .computeIfAbsent(way(from, to), way -> new OrderedFlow());
    long at = time.now() + weather.latencyNanos() + random.nextInt(weather.jitterNanos());
    if (from >= 0 && dead.get(from)) {
      if (!reportsDeaths) {
        return;
      }
      at += DEATH_NANOS;
    }
    if (parcel.cargo() == Cargo.END && weather.losesTail() && flow.flights.size() > 0) {
      loseTail(flow, random.nextInt(flow.flights.size() + 1));
    }
    long healed = cut.getOrDefault(pair(from, to), 0L);
    if (healed > time.now()) {
      at += healed - time.now();
    }
    if (ordered || parcel.cargo() != Cargo.MESSAGE && parcel.cargo() != Cargo.ACCESS) {
      at = Math.max(at, flow.last);
      flow.last = at;
    }
    boolean fails = !calm && (parcel.cargo() == Cargo.MESSAGE || parcel.cargo() == Cargo.ACCESS)
      && (random.nextInt(1_000_000) < weather.errors() * 1000 || healed - time.now() > RETRIES_NANOS && random.nextBoolean());
    if (fails) {
      watcher.disturbed(Fault.ERROR, from, to);
    }
    Flight flight = new Flight(parcel);
    flow.flights.add(flight);
    flight.cancel = time.after(at - time.now(), () -> arrive(flow, flight, fails));
  }

  private void loseTail(OrderedFlow flow, int count) {
    for (int i = 0; i < count; i++) {
      flow.flights.pollLast().cancel.run();
    }
    if (count > 0) {
      watcher.disturbed(Fault.TAIL_LOST, -1, -1);
    }
  }

  private void arrive(OrderedFlow flow, Flight flight, boolean fails) {
    flow.flights.remove(flight);
    Parcel parcel = flight.parcel;
    int to = parcel.to();
    trace.note("arrive", to, parcel.cargo().ordinal(), parcel.from());
    if (to >= 0 && dead.get(to)) {
      if (connectionless && parcel.cargo() == Cargo.MESSAGE && random.nextBoolean()) {
        // A new process with the same address receives the parcel, if there is one.
        parcel.deliver();
      } else if (connectionless) {
        endOfDead(to, parcel::bounce);
      } else if (weather.bouncesToDead() || parcel.cargo() == Cargo.CONNECTION) {
        time.after(RETRIES_NANOS, parcel::bounce);
      }
    } else if (fails) {
      // Without connections only this message fails, and later ones arrive.
      flow.broken = !connectionless;
      parcel.fail(Status.RETRY_EXCEEDED);
    } else if (!flow.broken || parcel.cargo() != Cargo.MESSAGE && parcel.cargo() != Cargo.ACCESS) {
      if (parcel.cargo() == Cargo.MESSAGE) {
        lastArrivals.put(way(parcel.from(), to), time.now());
      }
      parcel.deliver();
    }
  }

  @Override
  public int refusal(int domain, Operation operation) {
    if (calm || dead.get(domain) || spared.get(domain)) {
      return Status.OK;
    }
    int chance = random.nextInt(1_000_000);
    if (operation != Operation.RECEIVE && chance < weather.limits() * 1000) {
      watcher.disturbed(Fault.LIMIT, domain, -1);
      return Status.LIMIT;
    }
    if (chance >= 1_000_000 - weather.refusals() * (operation == Operation.RECEIVE ? 100 : 1000)) {
      watcher.disturbed(operation == Operation.RECEIVE ? Fault.RECEIVE_REFUSED : Fault.POST_REFUSED, domain, -1);
      return Status.AGAIN;
    }
    return Status.OK;
  }

  @Override
  public boolean completesEarly(int domain) {
    return weather.earlyCompletions();
  }

  @Override
  public long nanoTime() {
    return time.now();
  }

  @Override
  public Runnable after(int domain, long millis, Runnable task) {
    return time.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> {
      if (!dead.get(domain)) {
        task.run();
      }
    });
  }
}
