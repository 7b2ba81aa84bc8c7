package io.github.vertxrdma.cluster.impl;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.ClientConnectionStrategyConfig.ReconnectMode;
import com.hazelcast.client.config.XmlClientConfigBuilder;
import com.hazelcast.client.config.YamlClientConfigBuilder;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.core.LifecycleListener;
import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

public final class HazelcastDirectoryFactory implements DirectoryBackendFactory {
  /** Member attribute with the node id, set by vertx-hazelcast. */
  private static final String NODE_ID = "__vertx.nodeId";
  private static final int CONNECT_MILLIS = 15_000;
  private static final int LOOK_MILLIS = 100;
  private static final int NO_LIMIT = -1;
  private static final Map<String, Class<?>> SETTINGS = Map.of(HazelcastDirectory.MEMBERS, String[].class, HazelcastDirectory.CLUSTER,
    String.class,
    HazelcastDirectory.CLIENT_CONFIG, String.class);

  @Override
  public String type() {
    return HazelcastDirectory.TYPE;
  }

  @Override
  public boolean appliesTo(Vertx vertx) {
    return hazelcast(((VertxInternal) vertx).clusterManager()).isPresent();
  }

  @Override
  public Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    try {
      JsonKeys.known("settings of directory type '" + type() + "'", SETTINGS, options.getSettings());
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
    ClusterManager manager = ((VertxInternal) vertx).clusterManager();
    Optional<HazelcastInstance> hazelcast = hazelcast(manager);
    if (hazelcast.isPresent()) {
      String nodeId = options.getNodeId() == null ? manager.getNodeId() : options.getNodeId();
      return ClusterDirectory.open(vertx, hazelcast.get(), new DirectoryOptions(options).setNodeId(nodeId));
    }
    JsonObject settings = options.getSettings();
    if (settings.containsKey(HazelcastDirectory.MEMBERS) || settings.containsKey(HazelcastDirectory.CLIENT_CONFIG)) {
      ContextInternal context = ((VertxInternal) vertx).getOrCreateContext();
      return BlockingCalls.once(context, () -> connect(context.owner().closeFuture()::isClosed, settings))
        .compose(client -> ClusterDirectory.open(vertx, client, options, client::shutdown));
    }
    return Future.failedFuture(new IllegalArgumentException("directory type '" + type() + "' needs a Vert.x that is clustered with "
      + "HazelcastClusterManager, or the setting '" + HazelcastDirectory.MEMBERS + "' to connect as a client. To use your own "
      + "Hazelcast instance, call HazelcastDirectory.open"));
  }

  /** Returns the instance of a Hazelcast cluster manager, or of a wrapper with the same node id. */
  private static Optional<HazelcastInstance> hazelcast(ClusterManager manager) {
    if (manager instanceof HazelcastClusterManager own) {
      return Optional.ofNullable(own.getHazelcastInstance());
    }
    String nodeId = manager == null ? null : manager.getNodeId();
    return nodeId == null ? Optional.empty() : Hazelcast.getAllHazelcastInstances().stream()
      .filter(instance -> nodeId.equals(nodeId(instance))).findFirst();
  }

  private static String nodeId(HazelcastInstance instance) {
    try {
      return instance.getLifecycleService().isRunning() ? instance.getCluster().getLocalMember().getAttribute(NODE_ID) : null;
    } catch (HazelcastInstanceNotActiveException e) {
      return null;
    }
  }

  /**
   * Starts a Hazelcast client. Blocks until it is connected. After an outage the client reconnects without a time limit, unless its
   * configuration file sets one.
   *
   * @param closed returns true when Vert.x closes, which ends the wait
   * @throws IllegalStateException if no member can be reached
   */
  static HazelcastInstance connect(BooleanSupplier closed, JsonObject settings) throws IOException, InterruptedException {
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
      boolean isConnected = !config.getConnectionStrategyConfig().isAsyncStart();
      try {
        for (int waited = 0; !isConnected && waited < CONNECT_MILLIS && !closed.getAsBoolean(); waited += LOOK_MILLIS) {
          isConnected = connected.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
        isConnected &= !closed.getAsBoolean();
      } finally {
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
