package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.time.Duration;

/**
 * A service of the event bus, used from outside of the cluster: a verticle of a clustered Vert.x offers an address, and a Vert.x that is
 * not clustered, which knows the cluster by a Hazelcast client, sends requests to it over the fabric.
 */
final class ServiceDemo {
  private static final String NAME = "orders";
  private static final int ENOUGH = 100;

  private ServiceDemo() {
  }

  static void run(Pair pair, Demo.Service arguments) throws Exception {
    RdmaOptions options = new RdmaOptions().setFabric(pair.fabric());
    Vertx vertx;
    if (pair.isClient()) {
      int port = Integer.parseInt(pair.startServer());
      vertx = Vertx.vertx();
      client(vertx, options, port, arguments.requests);
    } else {
      int port = NodeProcesses.freePorts(1);
      vertx = DemoNode.await(Vertx.builder()
        .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback(cluster(port), port, 1))).buildClustered());
      serve(vertx, options);
      Pair.serve(Integer.toString(port));
    }
    DemoNode.await(vertx.close());
  }

  private static String cluster(int port) {
    return "vertx-rdma-demo-" + port;
  }

  private static void serve(Vertx vertx, RdmaOptions options) throws Exception {
    vertx.eventBus().<JsonObject>consumer(NAME, order -> {
      int amount = order.body().getInteger("amount");
      if (amount > ENOUGH) {
        order.fail(413, "too many");
      } else {
        order.reply(amount + " apples are ordered");
      }
    });
    DemoNode.await(vertx.deployVerticle("rdma:" + NAME,
      new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options).toJson())));
  }

  private static void client(Vertx vertx, RdmaOptions options, int port, int requests) throws Exception {
    options.setDirectory(new DirectoryOptions().setType(HazelcastDirectory.TYPE).setSettings(new JsonObject()
      .put(HazelcastDirectory.CLUSTER, cluster(port)).put(HazelcastDirectory.MEMBERS, new JsonArray().add("127.0.0.1:" + port))));
    RdmaBusClient orders = DemoNode.await(Rdma.create(vertx, options).connectBus(NAME,
      new RdmaBusClientOptions().setLookupTimeout(Duration.ofSeconds(30))));
    System.out.println("clustered: " + vertx.isClustered() + "; '" + NAME + "' of node " + orders.remoteNodeId() + " is reached over "
      + orders.fabric());
    for (int amount : new int[] {3, 500}) {
      System.out.println("an order of " + amount + ": " + DemoNode.await(order(orders, amount)));
    }
    Latencies latencies = Latencies.of(vertx.getOrCreateContext(), requests, i -> {
      int amount = 1 + i % ENOUGH;
      return order(orders, amount).compose(answer -> answer.equals(amount + " apples are ordered") ? Future.succeededFuture()
        : Future.failedFuture(new IOException("an order of " + amount + " was answered by '" + answer + "'")));
    });
    System.out.println(requests + " orders, one after the other");
    System.out.println("  half of them within  " + latencies.percentile(50));
    System.out.println("  99 of 100 within     " + latencies.percentile(99));
    System.out.println("  per second           " + latencies.perSecond());
    System.out.println("done: every order was answered");
  }

  private static Future<String> order(RdmaBusClient orders, int amount) {
    return orders.<String>request(new JsonObject().put("amount", amount)).map(Message::body)
      .recover(cause -> cause instanceof ReplyException refused
        ? Future.succeededFuture("refused, " + refused.failureCode() + " " + refused.getMessage()) : Future.failedFuture(cause));
  }
}
