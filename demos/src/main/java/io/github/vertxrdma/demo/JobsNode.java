package io.github.vertxrdma.demo;

import io.github.vertxrdma.cluster.QuietHazelcast;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.List;

/** Two members of two clusters in one process: one whose event bus takes the fabric, and one as it is without this library. */
final class JobsNode {
  /** System property that switches the transport off. */
  private static final String SWITCH = "vertx.rdma";

  private final Vertx tcp;
  private final Vertx fabric;

  JobsNode(JobsArguments arguments) throws Exception {
    System.setProperty(SWITCH, "off");
    tcp = clustered("vertx-rdma-bus-demo-tcp", arguments.port());
    System.clearProperty(SWITCH);
    fabric = clustered("vertx-rdma-bus-demo-fabric", arguments.port() + NodeDemo.NODES.size());
  }

  private static Vertx clustered(String cluster, int port) throws Exception {
    return DemoNode.await(Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(1))
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback(cluster, port, NodeDemo.NODES.size()))).buildClustered());
  }

  /** Over the fabric first, then over TCP. */
  List<EventBus> buses() {
    return List.of(fabric.eventBus(), tcp.eventBus());
  }

  static String name(int bus) {
    return bus == 0 ? "fabric" : "TCP";
  }

  Vertx vertx() {
    return fabric;
  }

  void close() throws Exception {
    DemoNode.await(fabric.close());
    DemoNode.await(tcp.close());
  }
}
