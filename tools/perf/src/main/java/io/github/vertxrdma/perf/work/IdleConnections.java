package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Connections that are opened, many at the same time, and stay, with nothing to say. */
final class IdleConnections extends RdmaEnd {
  static final int AT_ONCE = 100;
  private static final int WARM_UP = 20;

  private final List<RdmaConnection> accepted = new ArrayList<>();
  private final List<RdmaConnection> open = new ArrayList<>();
  private int begun;
  private Sample sample;

  IdleConnections(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    onContext(
      () -> rdma.createServer().connectHandler(c -> accepted.add(c.handler(c::write).closeHandler(v -> accepted.remove(c)))).listen(NAME));
    return nothing();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      onContext(() -> rdma.connect(NAME).compose(c -> c.close()));
    }
  }

  /** Opens them, the first time. */
  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (sample == null) {
      Promise<Void> all = Promise.promise();
      long begin = System.nanoTime();
      context.runOnContext(v -> {
        for (int i = 0; i < AT_ONCE; i++) {
          next(all);
        }
      });
      Await.await(all.future());
      sample = Sample.of(setup.connections(), System.nanoTime() - begin, 0);
    }
    return sample;
  }

  private void next(Promise<Void> all) {
    if (begun == setup.connections() || all.future().failed()) {
      return;
    }
    begun++;
    rdma.connect(NAME).onComplete(done -> {
      if (done.failed()) {
        all.tryFail(done.cause());
        return;
      }
      open.add(done.result().handler(message -> {}));
      if (open.size() == setup.connections()) {
        all.complete();
      } else {
        next(all);
      }
    });
  }
}
