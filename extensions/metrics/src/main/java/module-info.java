/** Metrics of vertx-rdma, and of Vert.x's own network stack, in a Micrometer registry. */
module io.github.vertxrdma.metrics {
  requires transitive io.github.vertxrdma;
  requires static io.github.vertxrdma.functions;
  requires transitive micrometer.core;

  exports io.github.vertxrdma.metrics;
}
