package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.ContextLocal;

/**
 * Context local with the call that a context serves. Vert.x loads this class as a service, since locals are registered before Vert.x
 * starts.
 */
public final class CallLocal implements VertxServiceProvider {
  public static final ContextLocal<RdmaGrpcCall> KEY = ContextLocal.registerLocal(RdmaGrpcCall.class);

  @Override
  public void init(VertxBootstrap bootstrap) {
    // Empty: a call loads this class, which registers the local.
  }
}
