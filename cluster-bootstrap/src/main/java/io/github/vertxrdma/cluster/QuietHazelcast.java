package io.github.vertxrdma.cluster;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MultiMapConfig;
import java.util.Objects;

/**
 * A Hazelcast configuration for demos and tests on one machine: loopback only, no multicast, no phone home, no log, quick to start. It
 * declares what Vert.x's cluster manager needs, so {@code new HazelcastClusterManager(QuietHazelcast.loopback("demo", 5701, 3))} is enough.
 */
public final class QuietHazelcast {
  private QuietHazelcast() {
  }

  /**
   * A new configuration; change it as you like.
   *
   * @param cluster name of the cluster; others on the same ports do not join
   * @param port first port that members take on 127.0.0.1
   * @param members how many ports from there members may take
   */
  public static Config loopback(String cluster, int port, int members) {
    Config config = new Config();
    config.setClusterName(Objects.requireNonNull(cluster));
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "71");
    config.setProperty("hazelcast.operation.thread.count", "2");
    config.setProperty("hazelcast.operation.generic.thread.count", "2");
    config.setProperty("hazelcast.io.thread.count", "1");
    config.setProperty("hazelcast.event.thread.count", "1");
    config.getJetConfig().setEnabled(false);
    config.getMetricsConfig().setEnabled(false);
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(true).setPortCount(members);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
    for (int i = 0; i < members; i++) {
      join.getTcpIpConfig().addMember("127.0.0.1:" + (port + i));
    }
    config.addMultiMapConfig(new MultiMapConfig("__vertx.subs").setBackupCount(1)
      .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    config.getMapConfig("__vertx.haInfo").setBackupCount(1);
    config.getMapConfig("__vertx.nodeInfo").setBackupCount(1);
    return config;
  }
}
