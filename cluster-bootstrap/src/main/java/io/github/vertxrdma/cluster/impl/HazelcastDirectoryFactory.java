package io.github.vertxrdma.cluster.impl;

import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.directory.EndpointDirectoryFactory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

/** Gives a Vert.x that is clustered by Hazelcast the directory in that cluster. */
public final class HazelcastDirectoryFactory implements EndpointDirectoryFactory {

  @Override
  public String type() {
    return HazelcastDirectory.TYPE;
  }

  @Override
  public boolean appliesTo(Vertx vertx) {
    return ((VertxInternal) vertx).clusterManager() instanceof HazelcastClusterManager;
  }

  @Override
  public Future<EndpointDirectory> open(Vertx vertx, DirectoryOptions options) {
    if (((VertxInternal) vertx).clusterManager() instanceof HazelcastClusterManager manager) {
      String nodeId = options.getNodeId() == null ? manager.getNodeId() : options.getNodeId();
      return ClusterDirectory.open(vertx, manager.getHazelcastInstance(), new DirectoryOptions(options).setNodeId(nodeId));
    }
    if (OwnClient.isDescribedBy(options.getSettings())) {
      return vertx.executeBlocking(() -> OwnClient.connect(options.getSettings()), false)
        .compose(client -> ClusterDirectory.open(vertx, client, options, client::shutdown));
    }
    return Future.failedFuture(new IllegalArgumentException("directory type '" + type() + "' needs a Vert.x that is clustered by"
      + " HazelcastClusterManager, or settings with '" + HazelcastDirectory.MEMBERS + "' to join as a client; with a Hazelcast instance of"
      + " your own use HazelcastDirectory.open"));
  }
}
