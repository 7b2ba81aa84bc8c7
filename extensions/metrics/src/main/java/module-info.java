/** Metrics of vertx-rdma in a Micrometer registry. */
module io.github.vertxrdma.metrics {
  requires transitive io.github.vertxrdma;
  requires static io.github.vertxrdma.functions;
  requires transitive micrometer.core;

  exports io.github.vertxrdma.metrics;
}
