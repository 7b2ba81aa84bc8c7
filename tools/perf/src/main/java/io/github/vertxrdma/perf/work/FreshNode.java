package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

/** Measures the start of a clustered node until the answer to its first request, once per process. */
final class FreshNode implements Workload {
  private final Setup setup;
  private BusRequests node;
  private double micros;

  FreshNode(Setup setup) {
    this.setup = setup;
  }

  @Override
  public JsonObject serve() throws Exception {
    node = new BusRequests(setup);
    return node.serve();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    long begin = System.nanoTime();
    node = new BusRequests(setup);
    node.connect(server);
    micros = (System.nanoTime() - begin) / 1e3;
  }

  @Override
  public Sample run(int size, long nanos) {
    return new Sample(micros, Double.NaN, Double.NaN, 1e6 / micros, 0, Double.NaN);
  }

  @Override
  public void close() throws Exception {
    if (node != null) {
      node.close();
    }
  }
}
