package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;

/** An end that is a node. */
abstract class RdmaEnd extends End {
  static final String NAME = "perf";

  final Rdma rdma;

  RdmaEnd(Setup setup) {
    super(setup);
    this.rdma = Rdma.create(vertx, NodeOptions.rdma(setup));
  }

  @Override
  public void close() throws Exception {
    FutureAwait.await(rdma.close());
    super.close();
  }
}
