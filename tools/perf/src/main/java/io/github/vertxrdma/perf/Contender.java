package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;

/** A measured program: vertx-rdma, or a peer to compare it with. Used by one thread, which may block. */
interface Contender extends AutoCloseable {

  String name();

  Sample run(int size, long nanos) throws Exception;

  default double stolen() {
    return 0;
  }

  @Override
  default void close() {
  }
}
