package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.page.RdmaPage;
import io.github.vertxrdma.page.RdmaPageOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.List;

/** Two members of two clusters in one process: one whose event bus takes the fabric, and one as it is without this library. */
final class JobsNode {
  /** System property that switches the transport off. */
  private static final String SWITCH = "vertx.rdma";
  /** System property that forces one fabric. */
  private static final String FABRIC = "vertx.rdma.fabric";

  /** System property and resource with options of the event bus alone. */
  private static final String CONFIG = "vertx.rdma.config";
  private static final String RESOURCE = "vertx-rdma.json";

  private final Vertx tcp;
  private final Vertx fabric;
  private final String forced;

  JobsNode(Demo.Node node) throws Exception {
    forced = node.fabric;
    System.setProperty(SWITCH, "off");
    tcp = clustered(node, "vertx-rdma-bus-demo-tcp", 0);
    System.clearProperty(SWITCH);
    if (node.fabric != null) {
      System.setProperty(FABRIC, node.fabric);
    }
    fabric = clustered(node, "vertx-rdma-bus-demo-fabric", 1);
  }

  private static Vertx clustered(Demo.Node node, String cluster, int index) throws Exception {
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(1);
    if (node.host != null) {
      options.getEventBusOptions().setHost(node.host);
    }
    return DemoNode.await(Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(Clusters.of(node, cluster, index)))
      .buildClustered());
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

  /** Serves the page of the cluster whose bus takes the fabric. */
  void page() throws Exception {
    if (System.getProperty(CONFIG) != null || JobsNode.class.getClassLoader().getResource(RESOURCE) != null) {
      throw new IllegalStateException("--page: the event bus has its options from " + CONFIG + " or " + RESOURCE
        + ", and the page would show another node; without them, please");
    }
    // The event bus and the page are one node, so their options are the same.
    Rdma rdma = Rdma.create(fabric, new RdmaOptions().setFabric(forced));
    DemoNode.await(fabric.deployVerticle(new RdmaPage(rdma, new RdmaPageOptions().setPort(0))));
  }

  void close() throws Exception {
    DemoNode.await(fabric.close());
    DemoNode.await(tcp.close());
  }
}
