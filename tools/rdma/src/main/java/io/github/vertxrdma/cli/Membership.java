package io.github.vertxrdma.cli;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.HostLookup;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.SameHostDirectory;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Membership implements AutoCloseable {
  static final long PATIENCE_SECONDS = 60;
  /** Maximum time to join. Hazelcast's client fails after 15 s without a member, or after 60 s if a member does not answer. */
  private static final long JOIN_SECONDS = 30;
  private static final int CONNECT_MILLIS = 3_000;
  /** Strong reference, because an unreferenced logger loses its level. */
  private static final Logger LOG = Logger.getLogger("io.github.vertxrdma");
  private static final Pattern PLACE = Pattern.compile("\\[?(.+?)]?:([0-9]{1,5})");

  private final Vertx vertx;
  final Rdma rdma;
  final String place;

  private Membership(Vertx vertx, Rdma rdma, String place) {
    this.vertx = vertx;
    this.rdma = rdma;
    this.place = place;
  }

  /** @throws CommandException if the directory or cluster does not answer */
  static Membership join(Ping.MembershipOptions of) {
    // Vert.x network connections of this process need no fabric.
    System.setProperty("vertx.rdma.streams", "none");
    LOG.setLevel(Level.WARNING);
    String cluster = String.join(",", of.cluster);
    DirectoryOptions directory = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(group(of.group, cluster.isEmpty()));
    RdmaOptions options = new RdmaOptions().setStatistics(false).setHost(host(of.host)).setDirectory(directory);
    if (!cluster.isEmpty()) {
      String here = localAddress(of.cluster);
      if (options.getHost() == null) {
        options.setHost(here);
      }
      directory.setType(HazelcastDirectory.TYPE).setSettings(new JsonObject().put(HazelcastDirectory.MEMBERS,
        new JsonArray(of.cluster))
        .put(HazelcastDirectory.CLUSTER, of.clusterName));
    }
    Vertx vertx = Vertx.vertx();
    Membership joined = new Membership(vertx, Rdma.create(vertx, options), cluster.isEmpty()
      ? "this command looked for processes of this user on this host, in group '" + directory.getGroup() + "' and in no cluster; for "
        + "a cluster add --cluster HOST:PORT"
      : "this command looked in cluster '" + of.clusterName + "' at " + cluster + "; for processes of this host that are in no "
        + "cluster remove --cluster");
    try {
      await(joined.rdma.directory(), JOIN_SECONDS);
      return joined;
    } catch (CommandException e) {
      if (e.getCause() instanceof TimeoutException) {
        // The node stays open, because its close would wait for an answer.
        throw cluster.isEmpty() ? e : new CommandException("cannot join the cluster: the process at " + cluster + " did not answer as "
          + "a Hazelcast member within "
          + JOIN_SECONDS + " s; correct --cluster");
      }
      joined.close();
      throw cluster.isEmpty() ? e : new CommandException(e.getMessage() + ", here --cluster and --cluster-name");
    }
  }

  /** Returns the named group, otherwise the only group with nodes on this host, otherwise the default. */
  private static String group(String named, boolean onHost) {
    if (named != null || !onHost) {
      return named == null ? DirectoryOptions.DEFAULT_GROUP : named;
    }
    try {
      List<String> groups = SameHostDirectory.groups();
      if (groups.size() > 1) {
        throw new UsageException("there are nodes of groups " + String.join(", ", groups) + " on this host: choose one with --group");
      }
      return groups.isEmpty() ? DirectoryOptions.DEFAULT_GROUP : groups.getFirst();
    } catch (IOException e) {
      throw new CommandException("cannot list the nodes of this host: " + RuntimeFolder.words(e), e);
    }
  }

  private static String host(String host) {
    try {
      return host == null ? null : InetAddress.ofLiteral(host).getHostAddress();
    } catch (IllegalArgumentException e) {
      throw new UsageException("--host '" + host + "' is not a numeric IP address of this host");
    }
  }

  /**
   * Returns the local address of a connection to the first reachable member. Fails sooner than Hazelcast's client, which retries all
   * members.
   */
  private static String localAddress(List<String> members) {
    List<String> refusals = new ArrayList<>();
    for (String member : members) {
      Matcher place = PLACE.matcher(member);
      place.matches();
      try (Socket probe = new Socket()) {
        probe.connect(new InetSocketAddress(HostLookup.SYSTEM.find(place.group(1), CONNECT_MILLIS), Integer.parseInt(place.group(2))),
          CONNECT_MILLIS);
        return probe.getLocalAddress().getHostAddress();
      } catch (IOException e) {
        refusals.add("this host has no route to member '" + place.group() + "': " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandException("interrupted", e);
      }
    }
    throw new CommandException(String.join("; ", refusals) + "; start a member there, or correct --cluster");
  }

  static <T> T await(Future<T> future) {
    return await(future, PATIENCE_SECONDS);
  }

  /** @throws CommandException if the future fails, with its reason, or does not complete in time */
  static <T> T await(Future<T> future, long seconds) {
    try {
      return future.await(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new CommandException("no answer within " + seconds + " s", e);
    } catch (Exception e) {
      throw new CommandException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}
