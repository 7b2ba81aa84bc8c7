package io.github.vertxrdma.cluster;

import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.cluster.impl.ClusterDirectory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * An endpoint directory in a Hazelcast map. With a Vert.x that is clustered by Hazelcast it is found by itself
 * ({@link DirectoryOptions#AUTO}); this class is for a Hazelcast instance of one's own.
 */
public interface HazelcastDirectory {
  /** What {@link DirectoryOptions#setType} calls it. */
  String TYPE = "hazelcast";

  /**
   * Opens a directory in the cluster of that instance, a member or a client. The instance stays the caller's; close the directory before it
   * is shut down. A client sees everything; what it publishes is kept by lease alone, so it outlives a client that dies for
   * {@link DirectoryOptions#getLeaseMillis}.
   *
   * @return the directory once it has read what is there; fails if the instance does not run
   */
  static Future<EndpointDirectory> open(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options) {
    return ClusterDirectory.open(vertx, hazelcast, options);
  }
}
