package io.github.vertxrdma.cluster.impl;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.XmlClientConfigBuilder;
import com.hazelcast.client.config.YamlClientConfigBuilder;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/** A Hazelcast client made from a directory's settings. */
final class OwnClient {
  private static final int CONNECT_MILLIS = 15_000;

  private OwnClient() {
  }

  /** Whether the settings say where the cluster is. */
  static boolean isDescribedBy(JsonObject settings) {
    return settings.containsKey(HazelcastDirectory.MEMBERS) || settings.containsKey(HazelcastDirectory.CLIENT_CONFIG);
  }

  /**
   * Connects; blocks.
   *
   * @throws IllegalStateException if no member can be reached
   * @throws IOException if the configuration file cannot be read
   */
  static HazelcastInstance connect(JsonObject settings) throws IOException {
    ClientConfig config = config(settings);
    try {
      return HazelcastClient.newHazelcastClient(config);
    } catch (IllegalStateException e) {
      throw new IllegalStateException("no Hazelcast member of cluster '" + config.getClusterName() + "' can be reached at "
        + config.getNetworkConfig().getAddresses() + "; start it or correct the directory's settings", e);
    }
  }

  private static ClientConfig config(JsonObject settings) throws IOException {
    String file = settings.getString(HazelcastDirectory.CLIENT_CONFIG);
    if (file != null) {
      return file.endsWith(".xml") ? new XmlClientConfigBuilder(file).build() : new YamlClientConfigBuilder(file).build();
    }
    ClientConfig config = new ClientConfig().setClusterName(settings.getString(HazelcastDirectory.CLUSTER, "dev"));
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    settings.getJsonArray(HazelcastDirectory.MEMBERS, new JsonArray())
      .forEach(member -> config.getNetworkConfig().addAddress(member.toString()));
    config.getConnectionStrategyConfig().getConnectionRetryConfig().setClusterConnectTimeoutMillis(CONNECT_MILLIS);
    return config;
  }
}
