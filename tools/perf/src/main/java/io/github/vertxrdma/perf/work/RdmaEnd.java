package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;

/** One end that is a node. */
abstract class RdmaEnd extends End {
  static final String NAME = "perf";

  final Rdma rdma;

  RdmaEnd(Setup setup) {
    this(setup, 1);
  }

  RdmaEnd(Setup setup, int loops) {
    super(setup, Vertx.vertx(NodeOptions.vertx(setup, loops)));
    this.rdma = Rdma.create(vertx, NodeOptions.rdma(setup));
  }

  @Override
  public void close() throws Exception {
    Await.await(rdma.close());
    super.close();
  }
}
