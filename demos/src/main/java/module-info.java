/** The demos of vertx-rdma. */
module io.github.vertxrdma.demos {
  requires com.hazelcast.core;
  requires io.github.vertxrdma.cluster;
  requires io.github.vertxrdma.cli;
  requires io.github.vertxrdma.functions;
  requires io.github.vertxrdma.grpc;
  requires io.github.vertxrdma.metrics;
  requires io.github.vertxrdma.page;
  requires io.vertx.clustermanager.hazelcast;
  requires java.management;
  requires micrometer.registry.prometheus;

  provides io.github.vertxrdma.functions.FunctionProvider with io.github.vertxrdma.demo.FileWork;
}
