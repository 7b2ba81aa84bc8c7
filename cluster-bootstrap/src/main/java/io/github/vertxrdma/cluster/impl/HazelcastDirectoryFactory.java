package io.github.vertxrdma.cluster.impl;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Map;
import java.util.Optional;

public final class HazelcastDirectoryFactory implements DirectoryBackendFactory {
  /** Member attribute with the node id, set by vertx-hazelcast. */
  private static final String NODE_ID = "__vertx.nodeId";
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
    if (OwnClient.isDescribedBy(options.getSettings())) {
      return ThreadLimit.named(() -> vertx.executeBlocking(() -> OwnClient.connect(options.getSettings()), false))
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
}
