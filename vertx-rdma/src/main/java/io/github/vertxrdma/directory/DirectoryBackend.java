package io.github.vertxrdma.directory;

import io.github.vertxrdma.impl.peers.Directories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Directory of a node with write access. Implemented by directory types, and passed to {@code Rdma.create} by applications that open a
 * directory themselves. Other applications use {@link RdmaDirectory}, whose rules for threads apply here too.
 */
public interface DirectoryBackend extends RdmaDirectory {

  /**
   * Opens the directory of the options. {@link DirectoryOptions#AUTO} selects the first factory that applies to the Vert.x, or the
   * same-host directory if none applies.
   */
  static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return Directories.open(vertx, options);
  }

  /**
   * Publishes an entry of this node, or replaces the entry with its key.
   *
   * @return fails for an entry of another node or epoch, or if another region has the same name
   */
  Future<Void> publish(DirectoryEntry entry);

  /**
   * Withdraws an entry of this node. Succeeds if the entry is missing.
   *
   * @return completes after at most a few seconds, also while the store waits for a dead member
   */
  Future<Void> withdraw(DirectoryEntry entry);

  /**
   * Called when the control connection detects the death of a node. Removes the node's entries immediately, and ignores later entries
   * with this epoch.
   */
  void declareDead(String nodeId, long epoch);

  /** Withdraws this node's entries and closes. Idempotent. */
  Future<Void> close();
}
