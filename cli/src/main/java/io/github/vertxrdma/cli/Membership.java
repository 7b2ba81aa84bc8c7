package io.github.vertxrdma.cli;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * This command as a node among others: in the same-host directory, or in that of a Hazelcast cluster, which it knows as a client: it holds
 * no
 * data and takes part in nothing else that the members do.
 */
final class Membership implements AutoCloseable {
  /** The options that say of what to be a member. */
  static final Set<String> OPTIONS = Set.of("--cluster", "--cluster-name", "--host", "--fabric", "--group");
  private static final long PATIENCE_SECONDS = 60;
  private static final Pattern PLACE = Pattern.compile("\\[?(.+?)]?:([0-9]{1,5})");

  private final Vertx vertx;
  private final Rdma rdma;

  private Membership(Vertx vertx, Rdma rdma) {
    this.vertx = vertx;
    this.rdma = rdma;
  }

  /** @throws CommandException if there is no such cluster */
  static Membership join(Arguments arguments) {
    // The network stack of this process needs no fabric.
    System.setProperty("vertx.rdma.streams", "none");
    DirectoryOptions directory = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setGroup(arguments.value("--group", DirectoryOptions.DEFAULT_GROUP));
    RdmaOptions options = new RdmaOptions().setStatistics(false).setHost(host(arguments)).setDirectory(directory);
    String cluster = arguments.value("--cluster", "");
    if (!cluster.isEmpty()) {
      String[] members = cluster.split(",");
      if (options.getHost() == null) {
        options.setHost(towards(members[0]));
      }
      directory.setType(HazelcastDirectory.TYPE).setSettings(new JsonObject().put(HazelcastDirectory.MEMBERS,
        JsonArray.of((Object[]) members))
        .put(HazelcastDirectory.CLUSTER, arguments.value("--cluster-name", "dev")));
    }
    Vertx vertx = Vertx.vertx();
    Membership joined = new Membership(vertx, Rdma.create(vertx, options));
    try {
      await(joined.rdma.directory());
    } catch (CommandException e) {
      joined.close();
      throw cluster.isEmpty() ? e : new CommandException(e.getMessage() + ", here --cluster and --cluster-name");
    }
    return joined;
  }

  private static String host(Arguments arguments) {
    String host = arguments.value("--host", null);
    try {
      return host == null ? null : InetAddress.ofLiteral(host).getHostAddress();
    } catch (IllegalArgumentException e) {
      throw new UsageException("--host wants an address of this host as digits, and '" + host + "' is not one");
    }
  }

  /** The address of this host by which it reaches a member; the kernel knows, and nothing is sent. */
  private static String towards(String member) {
    Matcher place = PLACE.matcher(member);
    if (!place.matches()) {
      throw new UsageException("--cluster wants members as HOST:PORT,…, and '" + member + "' is not one");
    }
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(new InetSocketAddress(InetAddress.getByName(place.group(1)), Integer.parseInt(place.group(2))));
      return probe.getLocalAddress().getHostAddress();
    } catch (IOException | UncheckedIOException e) {
      throw new CommandException("this host has no way to member '" + member + "': " + e.getMessage());
    }
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
