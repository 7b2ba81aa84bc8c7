package io.github.vertxrdma.directory;

import io.github.vertxrdma.impl.directory.Directories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * A node's directory with its writing side, for those who make one, or make an {@code Rdma} with one; applications get an
 * {@link RdmaDirectory} of it.
 *
 * <p>All methods may be called from any thread. Futures complete and handlers run on the context of the caller.
 */
public interface DirectoryBackend extends RdmaDirectory {

  /**
   * Opens the directory that the options name; with {@link DirectoryOptions#AUTO} the first factory that applies to this Vert.x, else the
   * same-host one.
   */
  static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return Directories.open(vertx, options);
  }

  /**
   * Publishes an entry of this node, or replaces the one of the same key.
   *
   * @return completes once the directory has it; fails if it is of another node or epoch, or if its region name belongs to a living region
   */
  Future<Void> publish(DirectoryEntry entry);

  /**
   * Withdraws an entry of this node; one that is not there is no error.
   *
   * @return completes once the directory has it no more; within a few seconds also where that takes longer, as while its store waits for
   * a dead member
   */
  Future<Void> withdraw(DirectoryEntry entry);

  /**
   * Tells it that a node is dead, as the control connection found out: its entries vanish here at once, and this epoch of it is never seen
   * again.
   */
  void declareDead(String nodeId, long epoch);

  /** Withdraws this node's entries and closes. Idempotent. */
  Future<Void> close();
}
