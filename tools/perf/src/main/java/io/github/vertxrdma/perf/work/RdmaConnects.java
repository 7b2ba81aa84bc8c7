package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.function.Supplier;

/** Connections that are made and closed. */
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
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Sample run(int size, long nanos) throws Exception {
    Supplier[] operations = new Supplier[setup.connections()];
    Arrays.fill(operations, (Supplier<Future<?>>) () -> rdma.connect(NAME).compose(c -> c.close()));
    return ClosedLoop.run(context, size, nanos, (Supplier<? extends Future<?>>[]) operations);
  }
}
