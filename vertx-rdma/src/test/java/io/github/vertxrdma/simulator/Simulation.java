package io.github.vertxrdma.simulator;

/** A run that is made out of a seed, the same one each time. */
interface Simulation {
  Trace trace();

  /** @throws AssertionError with what did not hold */
  void run();

  /** Makes the run of a seed. */
  interface Maker<S extends Simulation> {
    /** @param traced whether its trace keeps what happens, in words */
    S make(long seed, boolean traced);
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
      return again.trace().text();
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
