package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

/** A clustered node of a new process: the client times its start, or its first request, which can be done only once. */
final class FreshNode implements Workload {
  private final Setup setup;
  private BusRequests node;
  private long start;
  private long first;

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
    long started = System.nanoTime();
    node.connect(server);
    start = started - begin;
    first = System.nanoTime() - started;
  }

  /** The time that was taken, whenever it is asked for. */
  @Override
  public Sample run(int size, long nanos) {
    double micros = (setup.mode().equals("start") ? start : first) / 1e3;
    return new Sample(micros, Double.NaN, Double.NaN, 1e6 / micros, 0, Double.NaN);
  }

  @Override
  public void close() throws Exception {
    if (node != null) {
      node.close();
    }
  }
}
