package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Makes a directory; found with {@link java.util.ServiceLoader}. */
public interface DirectoryBackendFactory {

  /** The type that {@link DirectoryOptions#setType} names. */
  String type();

  /** Whether it can serve this Vert.x without further settings: it is clustered by the right manager. Does not block. */
  boolean appliesTo(Vertx vertx);

  /** Opens a directory; the future fails with what to do about it. */
  Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options);
}
