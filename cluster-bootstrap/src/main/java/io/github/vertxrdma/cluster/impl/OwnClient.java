package io.github.vertxrdma.cluster.impl;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.ClientConnectionStrategyConfig.ReconnectMode;
import com.hazelcast.client.config.XmlClientConfigBuilder;
import com.hazelcast.client.config.YamlClientConfigBuilder;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.core.LifecycleListener;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class OwnClient {
  private static final int CONNECT_MILLIS = 15_000;
  private static final int NO_LIMIT = -1;

  private OwnClient() {
  }

  static boolean isDescribedBy(JsonObject settings) {
    return settings.containsKey(HazelcastDirectory.MEMBERS) || settings.containsKey(HazelcastDirectory.CLIENT_CONFIG);
  }

  /**
   * Starts a Hazelcast client. Blocks until it is connected. After an outage the client reconnects without a time limit, unless its
   * configuration file sets one.
   *
   * @throws IllegalStateException if no member can be reached
   */
  static HazelcastInstance connect(JsonObject settings) throws IOException, InterruptedException {
    ClientConfig config = config(settings);
    CountDownLatch connected = new CountDownLatch(1);
    config.addListenerConfig(new ListenerConfig((LifecycleListener) event -> {
      if (event.getState() == LifecycleState.CLIENT_CONNECTED) {
        connected.countDown();
      }
    }));
    IllegalStateException cause = null;
    try {
      HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
      boolean isConnected = false;
      try {
        isConnected = !config.getConnectionStrategyConfig().isAsyncStart() || connected.await(CONNECT_MILLIS, TimeUnit.MILLISECONDS);
      } finally {
        // The connect failed, or closing Vert.x interrupted this thread.
        if (!isConnected) {
          client.shutdown();
        }
      }
      if (isConnected) {
        return client;
      }
    } catch (IllegalStateException e) {
      cause = e;
    }
    throw new IllegalStateException("no Hazelcast member of cluster '" + config.getClusterName() + "' can be reached at "
      + config.getNetworkConfig().getAddresses() + "; start one, or correct the directory's settings", cause);
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
    // With a time limit, a long outage would end the client. Without asynchronous reconnects, closing a directory would wait for each
    // entry.
    config.getConnectionStrategyConfig().setAsyncStart(true).setReconnectMode(ReconnectMode.ASYNC).getConnectionRetryConfig()
      .setClusterConnectTimeoutMillis(NO_LIMIT);
    return config;
  }
}
