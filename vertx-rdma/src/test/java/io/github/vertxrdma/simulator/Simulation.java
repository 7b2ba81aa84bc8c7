package io.github.vertxrdma.simulator;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A run that is made out of a seed, the same one each time: one thing after another happens in virtual time, then all of it ends in order.
 */
abstract class Simulation {
  private static final long STEPS = 3_000_000;

  final VirtualTime time = new VirtualTime();
  final SplittableRandom random;
  final Trace trace;
  final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  /** Sums for a reader, by what is counted. */
  final Map<String, Long> counts = new TreeMap<>();
  private String violation;

  /** Makes the run of a seed. */
  interface Maker<S extends Simulation> {
    /** @param traced whether its trace keeps what happens, in words */
    S make(long seed, boolean traced);
  }

  Simulation(long seed, boolean traced) {
    random = new SplittableRandom(seed);
    trace = new Trace(time::now, traced);
  }

  /** Plays all of it, by {@link #play(int, int, long, long)}. */
  abstract void play();

  /** One thing happens. */
  abstract void happen();

  /** Ends everything in order, and looks at what is left. */
  abstract void finish();

  /** Lets so many things happen, with a pause behind each, of {@code oneIn} pauses one of up to {@code longMillis}, and finishes. */
  final void play(int things, int oneIn, long longMillis, long millis) {
    for (int i = things; i > 0 && holds(); i--) {
      happen();
      pass(random.nextLong(TimeUnit.MILLISECONDS.toNanos(random.nextInt(oneIn) == 0 ? longMillis : millis)));
    }
    if (holds()) {
      finish();
    }
  }

  /** @throws AssertionError with what did not hold */
  final void run() {
    play();
    if (violation != null) {
      throw new AssertionError(violation);
    }
  }

  /** Lets time pass, step by step, as long as all holds. */
  void pass(long nanos) {
    time.passWhile(this::holds, nanos, STEPS);
  }

  /** Whether all has held until now; looked at between any two steps. */
  boolean holds() {
    return violation == null;
  }

  final void violated(String what) {
    if (violation == null) {
      violation = what;
      trace.end(what);
    }
  }

  final void count(String what) {
    count(what, 1);
  }

  final void count(String what, long number) {
    counts.merge(what, number, Long::sum);
  }

  final <T> T any(List<T> list) {
    return list.isEmpty() ? null : list.get(random.nextInt(list.size()));
  }

  final void checkTimers() {
    if (time.pending() > 0) {
      violated("timers are left: " + time.pending());
    }
  }

  /** Runs that of a seed. @throws AssertionError with what did not hold, how it is repeated, and the end of its trace */
  static <S extends Simulation> S run(long seed, Maker<S> maker) {
    S simulation = maker.make(seed, false);
    try {
      simulation.run();
      return simulation;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("conversation " + seed + ": " + e + "\nit is repeated by -Dsimulator.seed=" + seed + "; the end of it:\n"
        + retold(maker.make(seed, true)), e);
    }
  }

  private static String retold(Simulation again) {
    try {
      again.run();
      return "it did not fail again";
    } catch (AssertionError | RuntimeException e) {
      return again.trace.text();
    }
  }

  /** Runs one. @return what did not hold, null if all did; for a loader that has planted a bug */
  static String found(Simulation simulation) {
    try {
      simulation.run();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
