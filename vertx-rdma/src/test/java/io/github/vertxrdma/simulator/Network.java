package io.github.vertxrdma.simulator;

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

/** The wires of a simulated fabric: parcels take their time, wait while two domains cannot see each other, and are lost with their ends. */
final class Network implements Courier {
  /** Time in which a fabric that tells of deaths does so. */
  private static final long DEATH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  /** Time for which a device tries to reach a node that does not answer. */
  private static final long RETRIES_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** Hears of faults, which excuse that links end. */
  interface Watcher {
    /** @param to -1 for all */
    void disturbed(Fault fault, int from, int to);
  }

  /** Parcels of one flow in one direction. */
  private static final class Lane {
    long last;
    /** A parcel of it failed: those behind it do not arrive. */
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
  private final Map<Object, Map<Long, Lane>> lanes = new IdentityHashMap<>();
  private final BitSet dead = new BitSet();
  /** Domains whose posts are never refused. */
  private final BitSet spared = new BitSet();
  /** When each pair sees each other again. */
  private final Map<Long, Long> cut = new HashMap<>();
  /** Ends of what was posted to domains that are dead, over a fabric without connections: told when another one has their address. */
  private final Map<Integer, List<Runnable>> kept = new HashMap<>();
  private final BitSet replaced = new BitSet();
  /** When a message of one domain last came to another. */
  private final Map<Long, Long> came = new HashMap<>();
  private final boolean tellsDeath;
  private final boolean ordered;
  private final boolean connectionless;
  private boolean calm;

  Network(VirtualTime time, long seed, Weather weather, Capabilities capabilities, boolean connectionless, Trace trace,
    Watcher watcher) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.weather = weather;
    this.trace = trace;
    this.watcher = watcher;
    tellsDeath = capabilities.peerFailureEvents();
    ordered = capabilities.promises(Capabilities.Order.SEND_AFTER_SEND);
    this.connectionless = connectionless;
  }

  /** Nothing is disturbed any more. */
  void calm() {
    calm = true;
    cut.clear();
  }

  /** Refuses nothing to a domain. */
  void spare(int domain) {
    spared.set(domain);
  }

  /** The process of a domain ended: what it sent may arrive, what is sent to it does not. */
  void kill(int domain) {
    dead.set(domain);
  }

  /** Another process has the address of one that ended. */
  void replace(int domain) {
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

  /** Two domains do not see each other for a time. */
  void cut(int a, int b, long nanos) {
    cut.put(pair(a, b), time.now() + nanos);
    watcher.disturbed(Fault.CUT, a, b);
  }

  boolean isCut(int a, int b) {
    return cut.getOrDefault(pair(a, b), 0L) > time.now();
  }

  private static long way(int from, int to) {
    return (long) from << 32 | to;
  }

  /** When a message of one domain last came to another. */
  long lastMessage(int from, int to) {
    return came.getOrDefault(way(from, to), 0L);
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
    Lane lane = lanes.computeIfAbsent(parcel.flow(), flow -> new HashMap<>()).computeIfAbsent(way(from, to), way -> new Lane());
    long at = time.now() + weather.latencyNanos() + random.nextInt(weather.jitterNanos());
    if (from >= 0 && dead.get(from)) {
      if (!tellsDeath) {
        return;
      }
      at += DEATH_NANOS;
    }
    if (parcel.cargo() == Cargo.END && weather.losesTail() && lane.flights.size() > 0) {
      loseTail(lane, random.nextInt(lane.flights.size() + 1));
    }
    long healed = cut.getOrDefault(pair(from, to), 0L);
    if (healed > time.now()) {
      at += healed - time.now();
    }
    if (ordered || parcel.cargo() != Cargo.MESSAGE && parcel.cargo() != Cargo.ACCESS) {
      at = Math.max(at, lane.last);
      lane.last = at;
    }
    boolean fails = !calm && (parcel.cargo() == Cargo.MESSAGE || parcel.cargo() == Cargo.ACCESS)
      && (random.nextInt(1_000_000) < weather.errors() * 1000 || healed - time.now() > RETRIES_NANOS && random.nextBoolean());
    if (fails) {
      watcher.disturbed(Fault.ERROR, from, to);
    }
    Flight flight = new Flight(parcel);
    lane.flights.add(flight);
    flight.cancel = time.after(at - time.now(), () -> arrive(lane, flight, fails));
  }

  private void loseTail(Lane lane, int count) {
    for (int i = 0; i < count; i++) {
      lane.flights.pollLast().cancel.run();
    }
    if (count > 0) {
      watcher.disturbed(Fault.TAIL_LOST, -1, -1);
    }
  }

  private void arrive(Lane lane, Flight flight, boolean fails) {
    lane.flights.remove(flight);
    Parcel parcel = flight.parcel;
    int to = parcel.to();
    trace.note("arrive", to, parcel.cargo().ordinal(), parcel.from());
    if (to >= 0 && dead.get(to)) {
      if (connectionless && parcel.cargo() == Cargo.MESSAGE && random.nextBoolean()) {
        // It finds the next life of its address, or nobody.
        parcel.deliver();
      } else if (connectionless) {
        endOfDead(to, parcel::bounce);
      } else if (weather.bouncesToDead() || parcel.cargo() == Cargo.CONNECTION) {
        time.after(RETRIES_NANOS, parcel::bounce);
      }
    } else if (fails) {
      // Without a connection one message fails, and those behind it come.
      lane.broken = !connectionless;
      parcel.fail(Status.RETRY_EXCEEDED);
    } else if (!lane.broken || parcel.cargo() != Cargo.MESSAGE && parcel.cargo() != Cargo.ACCESS) {
      if (parcel.cargo() == Cargo.MESSAGE) {
        came.put(way(parcel.from(), to), time.now());
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
  public Runnable after(int domain, long millis, Runnable task) {
    return time.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> {
      if (!dead.get(domain)) {
        task.run();
      }
    });
  }
}
