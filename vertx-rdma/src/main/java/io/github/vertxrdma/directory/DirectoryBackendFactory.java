package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Makes a directory; found with {@link java.util.ServiceLoader}. */
public interface DirectoryBackendFactory {

  /** The type that {@link DirectoryOptions#setType} names. */
  String type();

  /**
   * Returns whether the directory is used in a Vert.x whose options name no type, as that of a cluster manager is. By default only options
   * that name the type open it. Does not block.
   */
  default boolean appliesTo(Vertx vertx) {
    return false;
  }

  /** Opens a directory; the future fails with what to do about it. */
  Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options);
}
