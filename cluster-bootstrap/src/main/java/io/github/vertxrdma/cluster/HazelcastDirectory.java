package io.github.vertxrdma.cluster;

import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.cluster.impl.ClusterDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * A service directory in a Hazelcast map.
 * <ul>
 * <li>A Vert.x that is clustered by Hazelcast uses it by default ({@link DirectoryOptions#AUTO}).
 * <li>A Vert.x that is not clustered joins as a Hazelcast client: type {@value #TYPE} and the settings {@value #MEMBERS} and {@value
 * #CLUSTER}, or {@value #CLIENT_CONFIG}.
 * <li>An application with its own Hazelcast instance calls {@link #open}, for {@link io.github.vertxrdma.Rdma#create(Vertx,
 * io.github.vertxrdma.RdmaOptions, DirectoryBackend)}.
 * </ul>
 */
public interface HazelcastDirectory {
  /** Type for {@link DirectoryOptions#setType}. */
  String TYPE = "hazelcast";
  /** Setting: addresses of members, {@code ["10.0.0.1:5701"]}. */
  String MEMBERS = "members";
  /** Setting: name of the Hazelcast cluster, by default {@code dev}. */
  String CLUSTER = "cluster";
  /** Setting: an XML or YAML file that configures the Hazelcast client, in place of the others. */
  String CLIENT_CONFIG = "clientConfig";

  /**
   * Opens a directory in the cluster of a Hazelcast instance, which is a member or a client. The caller keeps the instance, and closes the
   * directory before shutting it down. A client sees and publishes the same as members. Its entries are removed two seconds after a member
   * lost its connection, and return if it lives.
   *
   * @return the directory once it has read the existing entries; fails if the instance does not run
   */
  static Future<DirectoryBackend> open(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options) {
    return ClusterDirectory.open(vertx, hazelcast, options);
  }
}
