package io.github.vertxrdma.cluster.impl;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MultiMapConfig;
import io.github.vertxrdma.base.HostLookup;
import io.netty.util.NetUtil;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A Hazelcast configuration for demos and tests with the cluster manager of Vert.x. It starts fast, without multicast and logs, and stops
 * fast even if another member is dead.
 */
public final class QuietHazelcast {
  private static final Logger LOG = LoggerFactory.getLogger(QuietHazelcast.class);
  private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int CONNECT_MILLIS = 500;
  private static final int LOOKUP_MILLIS = 2000;
  private static final int PAUSE_MILLIS = 200;

  private QuietHazelcast() {
  }

  /**
   * Returns a configuration for members on 127.0.0.1.
   *
   * @param port first of the ports, one for each member
   */
  public static Config loopback(String cluster, int port, int members) {
    return among(cluster, "127.0.0.1", port, members, IntStream.range(port, port + members).mapToObj(p -> "127.0.0.1:" + p).toList());
  }

  /**
   * Returns a configuration for members on several hosts.
   *
   * @param host IP address of this member
   * @param port first of the {@code ports} that this member tries
   * @param members addresses of all members as {@code host:port}
   */
  public static Config among(String cluster, String host, int port, int ports, List<String> members) {
    Config config = new Config();
    config.setClusterName(Objects.requireNonNull(cluster));
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    // A stopping member waits until the cluster has noticed dead members: minutes, if connects take longer than 2 s.
    config.setProperty("hazelcast.socket.connect.timeout.seconds", "2");
    config.setProperty("hazelcast.connection.monitor.max.faults", "1");
    config.setProperty("hazelcast.graceful.shutdown.max.wait", "10");
    config.setProperty("hazelcast.partition.count", "71");
    config.setProperty("hazelcast.operation.thread.count", "2");
    config.setProperty("hazelcast.operation.generic.thread.count", "2");
    config.setProperty("hazelcast.io.thread.count", "1");
    config.setProperty("hazelcast.event.thread.count", "1");
    config.getJetConfig().setEnabled(false);
    config.getMetricsConfig().setEnabled(false);
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(true).setPortCount(ports);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(host);
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
    members.forEach(join.getTcpIpConfig()::addMember);
    config.addMultiMapConfig(new MultiMapConfig("__vertx.subs").setBackupCount(1)
      .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    config.getMapConfig("__vertx.haInfo").setBackupCount(1);
    config.getMapConfig("__vertx.nodeInfo").setBackupCount(1);
    return config;
  }

  /**
   * Returns a configuration for members with one port each, given by address or host name. Unless this member is the first in the list,
   * waits at most 30 s until another listens, so that they form one cluster. Blocks.
   */
  public static Config named(String cluster, String host, int port, List<String> members) throws UnknownHostException,
    InterruptedException {
    return named(cluster, host, port, members, HostLookup.SYSTEM);
  }

  static Config named(String cluster, String host, int port, List<String> members, HostLookup names) throws UnknownHostException,
    InterruptedException {
    InetSocketAddress own;
    try {
      own = new InetSocketAddress(names.find(host, LOOKUP_MILLIS), port);
    } catch (UnknownHostException e) {
      throw new UnknownHostException("cannot find the address of this member's host '" + host + "': " + e.getMessage()
        + ". Give this member a host name or address that the other members can reach");
    }
    long end = System.nanoTime() + OTHERS_NANOS;
    boolean waiting = false;
    while (!address(members.getFirst(), names, false).equals(own) && !isAnyListening(members, names) && System.nanoTime() - end < 0) {
      if (!waiting) {
        waiting = true;
        LOG.info("Waiting at most " + TimeUnit.NANOSECONDS.toSeconds(OTHERS_NANOS) + " s for another member of cluster "
          + "'" + cluster + "': none listens yet at " + String.join(", ", members));
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    // Resolves the names, because Hazelcast ignores host names if its own interface is set. Members without an address join later.
    List<String> found = new ArrayList<>();
    for (String member : members) {
      InetSocketAddress address = address(member, names, true);
      if (!address.isUnresolved()) {
        found.add(NetUtil.toSocketAddressString(address));
      }
    }
    return among(cluster, own.getAddress().getHostAddress(), own.getPort(), 1, found);
  }

  /** Returns an unresolved address if the lookup fails or times out. */
  private static InetSocketAddress address(String member, HostLookup names, boolean isLogged) throws InterruptedException {
    HostAndPort place = HostAndPort.parseAuthority(member, -1);
    try {
      return new InetSocketAddress(names.find(place.host(), LOOKUP_MILLIS), place.port());
    } catch (UnknownHostException e) {
      if (isLogged) {
        LOG.info("cannot find member " + member + " of the cluster: " + e.getMessage() + ". It may join later");
      }
      return InetSocketAddress.createUnresolved(place.host(), place.port());
    }
  }

  private static boolean isAnyListening(List<String> members, HostLookup names) throws InterruptedException {
    for (String member : members) {
      try (Socket socket = new Socket()) {
        socket.connect(address(member, names, false), CONNECT_MILLIS);
        return true;
      } catch (IOException e) {
        // Tries the next member.
      }
    }
    return false;
  }
}
