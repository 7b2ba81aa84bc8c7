package io.github.vertxrdma.directory;

import io.github.vertxrdma.impl.directory.Directories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * A node's directory with write access, for authors of directories and for an {@code Rdma} with a given one. Applications use it as {@link
 * RdmaDirectory}.
 *
 * <p>Methods may be called from any thread. Futures complete and handlers run on the caller's context.
 */
public interface DirectoryBackend extends RdmaDirectory {

  /**
   * Opens the directory of the options; for {@link DirectoryOptions#AUTO} that of the first factory that applies to this Vert.x, otherwise
   * the same-host one.
   */
  static Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    return Directories.open(vertx, options);
  }

  /**
   * Publishes an entry of this node, or replaces the one with its key.
   *
   * @return completes when the directory has it; fails if it is of another node or epoch, or its region name belongs to a living region
   */
  Future<Void> publish(DirectoryEntry entry);

  /**
   * Withdraws an entry of this node. A missing one is no error.
   *
   * @return completes when the directory does not have it any more, at the latest after a few seconds, as while the store waits for a dead
   * member
   */
  Future<Void> withdraw(DirectoryEntry entry);

  /** Called when the control connection found a node dead. Its entries disappear here at once, and this epoch is never seen again. */
  void declareDead(String nodeId, long epoch);

  /** Withdraws this node's entries and closes. Idempotent. */
  Future<Void> close();
}
