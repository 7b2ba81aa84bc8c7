package io.github.vertxrdma.suites;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.provider.contract.FixedPorts;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A Hazelcast cluster on loopback, whose members may be in several processes. A member needs nothing of this library but the class that
 * configures Hazelcast.
 */
final class TestCluster {
  /** More than a cluster has members: tests of other processes may take some after they were found free. */
  private static final int PORTS = 8;

  private TestCluster() {
  }

  static int freePorts() throws IOException {
    return FixedPorts.free(PORTS);
  }

  /** Starts a member of the cluster whose members use {@code port} and those after it. */
  static Vertx member(int port, VertxOptions options) throws Exception {
    if (options.getEventBusOptions().getHost() == null) {
      options.getEventBusOptions().setHost("127.0.0.1");
    }
    return await(Vertx.builder().with(options)
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("suites-" + port, port, PORTS))).buildClustered());
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
