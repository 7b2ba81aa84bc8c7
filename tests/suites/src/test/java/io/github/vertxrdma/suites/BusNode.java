package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;

import com.hazelcast.config.Config;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Arguments: number of this node, number of all nodes, system properties as {@code name=value}. Input lines: {@code ask}, {@code load},
 * {@code ways}.
 */
final class BusNode {
  static final int BUS_PORT = 9000;
  static final int HAZELCAST_PORT = 5701;
  static final int CONTROL_PORT = 4710;
  private static final int SEND_MILLIS = 2_000;
  private static final int PERIOD_MILLIS = 50;
  private static final Logger ROOT = Logger.getLogger("");

  private BusNode() {
  }

  public static void main(String[] args) throws Exception {
    int own = Integer.parseInt(args[0]);
    int nodes = Integer.parseInt(args[1]);
    Arrays.stream(args).skip(2).map(each -> each.split("=", 2)).forEach(each -> System.setProperty(each[0], each[1]));
    logToOutput();
    Config config = QuietHazelcast.among("divided", Networks.address(own), HAZELCAST_PORT, 1,
      IntStream.range(0, nodes).mapToObj(i -> Networks.address(i) + ':' + HAZELCAST_PORT).toList());
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1").setProperty("hazelcast.max.no.heartbeat.seconds", "10")
      .setProperty("hazelcast.merge.first.run.delay.seconds", "5").setProperty("hazelcast.merge.next.run.delay.seconds", "5");
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(2);
    options.getEventBusOptions().setHost(Networks.address(own)).setPort(BUS_PORT);
    Vertx vertx = await(Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(config)).buildClustered());
    await(vertx.eventBus().consumer("node." + own, message -> message.reply(own)).completion());
    Rdma rdma = Rdma.create(vertx, new RdmaOptions(TransportOptions.ofNodes(vertx)));
    System.out.println("ready");
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      switch (line) {
        case "ask" -> System.out.println("asked " + ask(vertx, nodes));
        case "load" -> vertx.setPeriodic(PERIOD_MILLIS, id -> ask(vertx, own, nodes));
        case "ways" -> System.out.println("ways " + ways(await(rdma.statistics())));
        default -> throw new IllegalArgumentException(line);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  /** Also prints warnings of other libraries but Hazelcast. */
  private static void logToOutput() {
    for (Handler handler : ROOT.getHandlers()) {
      ROOT.removeHandler(handler);
    }
    ROOT.addHandler(new Handler() {
      @Override
      public void publish(LogRecord line) {
        boolean ours = line.getLoggerName().startsWith("io.github.vertxrdma");
        if (ours || line.getLevel().intValue() >= Level.WARNING.intValue() && !line.getLoggerName().startsWith("com.hazelcast")) {
          System.out.println("logged " + line.getLevel() + ' ' + line.getLoggerName().replaceAll(".*\\.", "") + ": " + line.getMessage()
            + (line.getThrown() == null ? "" : " / " + line.getThrown()));
        }
      }

      @Override
      public void flush() {
      }

      @Override
      public void close() {
      }
    });
  }

  private static Future<Object> request(Vertx vertx, int node) {
    return vertx.eventBus().request("node." + node, "", new DeliveryOptions().setSendTimeout(SEND_MILLIS)).map(answer -> answer.body());
  }

  private static String ask(Vertx vertx, int nodes) throws Exception {
    List<Future<Object>> answers = IntStream.range(0, nodes).mapToObj(node -> request(vertx, node)).toList();
    await(Future.join(answers).otherwiseEmpty());
    return answers.stream().filter(Future::succeeded).map(answer -> answer.result().toString()).collect(Collectors.joining(","));
  }

  private static void ask(Vertx vertx, int own, int nodes) {
    IntStream.range(0, nodes).filter(node -> node != own).forEach(node -> request(vertx, node));
  }

  private static String ways(NodeStatistics statistics) {
    return statistics.ways().stream().map(way -> way.address() + '=' + way.way()).sorted().collect(Collectors.joining(","))
      + ' ' + statistics.tcpConnections().stream().filter(each -> each.count() > 0).toList();
  }
}
