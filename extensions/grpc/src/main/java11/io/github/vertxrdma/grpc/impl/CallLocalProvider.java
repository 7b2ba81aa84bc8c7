package io.github.vertxrdma.grpc.impl;

import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;

/**
 * Service that loads {@code CallLocal}, because context-local variables must be registered before Vert.x starts. Compiled for the oldest
 * Java of Vert.x, without references to the rest of this library.
 */
public final class CallLocalProvider extends Vertx4ServiceProvider implements VertxServiceProvider {
  @Override
  public void init(VertxBootstrap bootstrap) {
    try {
      Class.forName("io.github.vertxrdma.grpc.impl.CallLocal");
    } catch (ClassNotFoundException | LinkageError e) {
      // vertx-rdma logs which Java or Vert.x it needs.
    }
  }
}
