/** The demos of vertx-rdma. */
module io.github.vertxrdma.demos {
  requires io.github.vertxrdma.cluster;
  requires io.vertx.clustermanager.hazelcast;
  requires java.management;
}
