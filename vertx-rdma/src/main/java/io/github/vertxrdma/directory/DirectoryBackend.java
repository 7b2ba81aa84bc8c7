package io.github.vertxrdma.directory;

import io.github.vertxrdma.impl.peers.Directories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Directory of a node with write access. Directory types implement it. Applications that open a directory themselves pass it to {@code
 * Rdma.create}; others use {@link RdmaDirectory}.
 */
public interface DirectoryBackend extends RdmaDirectory {

  /** Opens the directory that the options select. */
  static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return Directories.open(vertx, options);
  }

  /**
   * Publishes an entry of this node. Replaces an entry with the same key.
   *
   * @return fails for an entry of another node or epoch, or if another region has the same name
   */
  Future<Void> publish(DirectoryEntry entry);

  /**
   * Withdraws an entry of this node. Succeeds if the entry is missing.
   *
   * @return completes after at most a few seconds, even if a member of the cluster is dead
   */
  Future<Void> withdraw(DirectoryEntry entry);

  /**
   * Removes a node's entries immediately, and ignores later ones with this epoch. Called when the control connection detects the node's
   * death.
   */
  void declareDead(String nodeId, long epoch);

  /** Withdraws this node's entries and closes. Idempotent. */
  Future<Void> close();
}
