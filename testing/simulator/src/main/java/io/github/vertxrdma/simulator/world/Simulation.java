package io.github.vertxrdma.simulator.world;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A run that is made out of a seed, the same one each time: one thing after another happens in virtual time, then all of it ends in order.
 */
public abstract class Simulation {
  private static final long STEPS = 3_000_000;

  public final VirtualTime time = new VirtualTime();
  public final SplittableRandom random;
  public final Trace trace;
  public final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  /** Sums for a reader, by what is counted. */
  public final Map<String, Long> counts = new TreeMap<>();
  private String violation;

  /** Makes the run of a seed. */
  public interface Maker<S extends Simulation> {
    /** @param traced whether its trace keeps what happens, in words */
    S make(long seed, boolean traced);
  }

  protected Simulation(long seed, boolean traced) {
    random = new SplittableRandom(seed);
    trace = new Trace(time::now, traced);
  }

  /** Plays all of it, by {@link #play(int, int, long, long)}. */
  protected abstract void play();

  /** One thing happens. */
  protected abstract void happen();

  /** Ends everything in order, and looks at what is left. */
  protected abstract void finish();

  /** Lets so many things happen, with a pause behind each, of {@code oneIn} pauses one of up to {@code longMillis}, and finishes. */
  protected final void play(int things, int oneIn, long longMillis, long millis) {
    for (int i = things; i > 0 && holds(); i--) {
      happen();
      pass(random.nextLong(TimeUnit.MILLISECONDS.toNanos(random.nextInt(oneIn) == 0 ? longMillis : millis)));
    }
    if (holds()) {
      finish();
    }
  }

  /** @throws AssertionError with what did not hold */
  public final void run() {
    play();
    if (violation != null) {
      throw new AssertionError(violation);
    }
  }

  /** Lets time pass, step by step, as long as all holds. */
  protected void pass(long nanos) {
    time.passWhile(this::holds, nanos, STEPS);
  }

  /** Whether all has held until now; looked at between any two steps. */
  protected boolean holds() {
    return violation == null;
  }

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

  public final <T> T any(List<T> list) {
    return list.isEmpty() ? null : list.get(random.nextInt(list.size()));
  }

  protected final void checkTimers() {
    if (time.pending() > 0) {
      violated("timers are left: " + time.pending());
    }
  }

  /** Runs that of a seed. @throws AssertionError with what did not hold, how it is repeated, and the end of its trace */
  public static <S extends Simulation> S run(long seed, Maker<S> maker) {
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
  public static String found(Simulation simulation) {
    try {
      simulation.run();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
