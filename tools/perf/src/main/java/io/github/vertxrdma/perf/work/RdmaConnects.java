package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

final class RdmaConnects extends RdmaEnd {

  RdmaConnects(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    onContext(() -> rdma.createServer().connectHandler(c -> c.handler(c::write)).listen(NAME));
    return nothing();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    onContext(() -> rdma.connect(NAME).compose(c -> c.close()));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    return measure(size, nanos, setup.connections(), () -> rdma.connect(NAME).compose(c -> c.close()));
  }
}
