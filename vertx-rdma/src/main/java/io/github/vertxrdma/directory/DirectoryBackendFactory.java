package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Creates a directory; found by {@link java.util.ServiceLoader}. */
public interface DirectoryBackendFactory {

  /** Returns the type for {@link DirectoryOptions#setType}. */
  String type();

  /** Returns true if the directory is used in a Vert.x whose options name no type, as with its cluster manager. Must not block. */
  default boolean appliesTo(Vertx vertx) {
    return false;
  }

  /** Opens a directory; the future fails with a remedy. */
  Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options);
}
