package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.ContextLocal;

/** The call that a context serves. A service provider, because locals are registered before the first Vert.x is created. */
public final class CallLocal implements VertxServiceProvider {
  public static final ContextLocal<RdmaGrpcCall> KEY = ContextLocal.registerLocal(RdmaGrpcCall.class);

  @Override
  public void init(VertxBootstrap bootstrap) {
    // Loading this class is sufficient.
  }
}
