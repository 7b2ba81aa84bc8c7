package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;

/** A side of a comparison. Used by one thread, which may block. */
interface Contender extends AutoCloseable {

  /** Returns its name in a row. */
  String name();

  /** Works for about the given time, after a warm-up. @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  /** Returns the share of stolen time during the last run. */
  default double stolen() {
    return 0;
  }

  /** Does nothing, since nothing lives longer than a run. */
  @Override
  default void close() {
  }
}
