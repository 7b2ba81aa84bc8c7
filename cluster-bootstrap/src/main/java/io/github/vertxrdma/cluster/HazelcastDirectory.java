package io.github.vertxrdma.cluster;

import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.cluster.impl.ClusterDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * A service directory in a Hazelcast map, the default for a Vert.x that is clustered with Hazelcast. Another Vert.x can join as a client,
 * with the settings {@value #MEMBERS} and {@value #CLUSTER}, or {@value #CLIENT_CONFIG}. With its own Hazelcast instance, an application
 * calls {@link #open}, for {@link io.github.vertxrdma.Rdma#create(Vertx, io.github.vertxrdma.RdmaOptions, DirectoryBackend)}.
 */
public interface HazelcastDirectory {
  /** Type for {@link DirectoryOptions#setType}. */
  String TYPE = "hazelcast";
  /** Setting with addresses of members, such as {@code ["10.0.0.1:5701"]}. */
  String MEMBERS = "members";
  /** Setting with the name of the cluster, by default {@code dev}. */
  String CLUSTER = "cluster";
  /** Setting with an XML or YAML file that configures the Hazelcast client. */
  String CLIENT_CONFIG = "clientConfig";

  /**
   * Opens a directory with a Hazelcast member or client. The caller owns the instance, and closes the directory before shutting it down.
   * Entries of a client are removed 2 s after it lost its connection, and return when it reconnects.
   *
   * @return the directory when it has read the existing entries; fails if the instance does not run
   */
  static Future<DirectoryBackend> open(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options) {
    return ClusterDirectory.open(vertx, hazelcast, options);
  }
}
