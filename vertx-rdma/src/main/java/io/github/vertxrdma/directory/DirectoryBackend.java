package io.github.vertxrdma.directory;

import io.github.vertxrdma.impl.peers.Directories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * A node's directory with write access, for implementations and for an {@code Rdma} with its own directory. Applications use {@link
 * RdmaDirectory}, whose rules for threads apply.
 */
public interface DirectoryBackend extends RdmaDirectory {

  /**
   * Opens the directory of the options. For {@link DirectoryOptions#AUTO} this is the first factory that applies to the Vert.x, otherwise
   * the same-host directory.
   */
  static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return Directories.open(vertx, options);
  }

  /**
   * Publishes an entry of this node, or replaces the entry with its key.
   *
   * @return fails for an entry of another node or epoch, or if a living region has its name
   */
  Future<Void> publish(DirectoryEntry entry);

  /**
   * Withdraws an entry of this node. A missing one is no error.
   *
   * @return completes after at most a few seconds, also while the store waits for a dead member
   */
  Future<Void> withdraw(DirectoryEntry entry);

  /** Called when the control connection detects the death of a node. Removes its entries at once and ignores this epoch from then on. */
  void declareDead(String nodeId, long epoch);

  /** Withdraws this node's entries and closes. Idempotent. */
  Future<Void> close();
}
