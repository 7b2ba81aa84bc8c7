package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Creates a directory; found by {@link java.util.ServiceLoader}. */
public interface DirectoryBackendFactory {

  /** Returns the type for {@link DirectoryOptions#setType}. */
  String type();

  /**
   * Returns whether {@link DirectoryOptions#AUTO} may select this directory for a Vert.x instance. The answer may depend on the cluster
   * manager of the instance. Must not block.
   */
  default boolean appliesTo(Vertx vertx) {
    return false;
  }

  /** Opens a directory. The message of a failure states a remedy. */
  Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options);
}
