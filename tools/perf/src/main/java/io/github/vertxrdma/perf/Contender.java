package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;

/** One of those that are measured in turn. Used by one thread, which may block. */
interface Contender extends AutoCloseable {

  /** Its name in a row. */
  String name();

  /** Works for about so long, ready and warm. @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  /** Nothing, where nothing lives longer than a run. */
  @Override
  default void close() {
  }
}
