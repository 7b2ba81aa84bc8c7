package io.github.vertxrdma.simulator.world;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A test run in virtual time: random events, followed by an orderly close. The seed determines all choices, so two runs of a seed are
 * equal.
 */
public abstract class Simulation {
  private static final long STEPS = 3_000_000;

  public final VirtualTime time = new VirtualTime();
  public final SplittableRandom random;
  public final Trace trace;
  public final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  /** Counters by name, which tests print. */
  public final Map<String, Long> counts = new TreeMap<>();
  private String violation;

  public interface Maker<S extends Simulation> {
    /** @param traced whether the trace keeps events as text */
    S make(long seed, boolean traced);
  }

  protected Simulation(long seed, boolean traced) {
    random = new SplittableRandom(seed);
    trace = new Trace(time::now, traced);
  }

  /** Runs the simulation, by a call of {@link #play(int, int, long, long)}. */
  protected abstract void play();

  /** Runs a random event. */
  protected abstract void happen();

  /** Closes everything in order, and checks that nothing is left open. */
  protected abstract void finish();

  /**
   * Runs events with a pause after each, and then calls {@link #finish}.
   *
   * @param things number of events
   * @param oneIn one pause in this many is shorter than {@code longMillis}, all others are shorter than {@code millis}
   */
  protected final void play(int things, int oneIn, long longMillis, long millis) {
    for (int i = things; i > 0 && holds(); i--) {
      happen();
      pass(random.nextLong(TimeUnit.MILLISECONDS.toNanos(random.nextInt(oneIn) == 0 ? longMillis : millis)));
    }
    if (holds()) {
      finish();
    }
  }

  public final void run() {
    play();
    if (violation != null) {
      throw new AssertionError(violation);
    }
  }

  /** Runs tasks for a time in nanoseconds, or until a violation. */
  protected void pass(long nanos) {
    time.passWhile(this::holds, nanos, STEPS);
  }

  /** Returns whether there is no violation. Called between tasks. */
  protected boolean holds() {
    return violation == null;
  }

  /** Records the first violation, which ends the run. */
  public final void violated(String what) {
    if (violation == null) {
      violation = what;
      trace.end(what);
    }
  }

  public final void count(String what) {
    count(what, 1);
  }

  public final void count(String what, long number) {
    counts.merge(what, number, Long::sum);
  }

  /** Returns a random element; null if the list is empty. */
  public final <T> T any(List<T> list) {
    return list.isEmpty() ? null : list.get(random.nextInt(list.size()));
  }

  protected final void checkTimers() {
    if (time.pending() > 0) {
      violated("timers are left: " + time.pending());
    }
  }

  /** @throws AssertionError with the first violation, its seed, and the last events */
  public static <S extends Simulation> S run(long seed, Maker<S> maker) {
    S simulation = maker.make(seed, false);
    try {
      simulation.run();
      return simulation;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("conversation " + seed + ": " + e + "\nTo repeat it, set -Dsimulator.seed=" + seed + ". Its last events:\n"
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

  /**
   * Runs a simulation of classes into which a class loader has inserted a bug.
   *
   * @return the first violation; null if there is none
   */
  public static String found(Simulation simulation) {
    try {
      simulation.run();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
