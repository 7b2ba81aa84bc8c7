package io.github.vertxrdma.cli;

import com.hazelcast.config.Config;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.QuietHazelcast;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** This command as a node among others: in the same-host directory, or as a lite member of a Hazelcast cluster, which holds no data. */
final class Membership implements AutoCloseable {
  /** The options that say of what to be a member. */
  static final Set<String> OPTIONS = Set.of("--cluster", "--cluster-name", "--host", "--port", "--fabric", "--group");
  private static final long PATIENCE_SECONDS = 60;

  private final Vertx vertx;
  private final Rdma rdma;

  private Membership(Vertx vertx, Rdma rdma) {
    this.vertx = vertx;
    this.rdma = rdma;
  }

  static Membership join(Arguments arguments) {
    // The network stack of this process needs no fabric.
    System.setProperty("vertx.rdma.streams", "none");
    String cluster = arguments.value("--cluster", "");
    RdmaOptions options = new RdmaOptions().setStatistics(false);
    VertxBuilder builder = Vertx.builder();
    Vertx vertx;
    if (cluster.isEmpty()) {
      options.setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
        .setGroup(arguments.value("--group", DirectoryOptions.DEFAULT_GROUP)));
      vertx = builder.build();
    } else {
      Config config = QuietHazelcast.among(arguments.value("--cluster-name", Config.DEFAULT_CLUSTER_NAME),
        arguments.value("--host", "127.0.0.1"), arguments.number("--port", 5801), 100, List.of(cluster.split(",")));
      config.setLiteMember(true);
      vertx = await(builder.withClusterManager(new HazelcastClusterManager(config)).buildClustered());
    }
    return new Membership(vertx, Rdma.create(vertx, options));
  }

  Rdma rdma() {
    return rdma;
  }

  /** @throws CommandException with the reason of a failure */
  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new CommandException(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    } catch (TimeoutException e) {
      throw new CommandException("nothing happened for " + PATIENCE_SECONDS + " s");
    } catch (InterruptedException e) {
      throw new CommandException("interrupted");
    }
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}
