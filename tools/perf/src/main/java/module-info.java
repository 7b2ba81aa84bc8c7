/** Measurements of vertx-rdma and of programs to compare it with. */
module io.github.vertxrdma.perf {
  requires io.github.vertxrdma.cluster;
  requires io.github.vertxrdma.cli;
  requires io.github.vertxrdma.functions;
  requires io.github.vertxrdma.grpc;
  requires io.github.vertxrdma.nic;
  requires io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.devices;
  requires io.vertx.clustermanager.hazelcast;
  requires io.aeron.client;
  requires io.aeron.driver;
  requires io.netty.buffer;
  requires org.agrona;
  requires HdrHistogram;
  requires java.management;
  requires jdk.management;

  exports io.github.vertxrdma.perf;

  provides io.github.vertxrdma.functions.FunctionProvider with io.github.vertxrdma.perf.work.FunctionCalls.Echo;
}
