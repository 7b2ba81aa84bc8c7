package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.vertx.core.Promise;

abstract class RdmaEnd extends End {
  static final String NAME = "perf";

  final Rdma rdma;

  RdmaEnd(Setup setup) {
    super(setup);
    this.rdma = Rdma.create(vertx, NodeOptions.rdma(setup));
  }

  final void awaitClient() throws Exception {
    Promise<Void> end = Promise.promise();
    onContext(() -> rdma.directory().onSuccess(directory -> directory.watchNodes(event -> {
      if (event.type() == DirectoryEvent.Type.REMOVED) {
        end.tryComplete();
      }
    })));
    await(end.future(), Integer.MAX_VALUE);
  }

  @Override
  public void close() throws Exception {
    await(rdma.close());
    super.close();
  }
}
