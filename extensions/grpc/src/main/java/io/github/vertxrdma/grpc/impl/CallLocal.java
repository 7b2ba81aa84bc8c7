package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.ContextLocal;

/**
 * Context-local variable with the call that a context serves. Vert.x loads this class as a service, because such variables must be
 * registered before Vert.x starts.
 */
public final class CallLocal implements VertxServiceProvider {
  public static final ContextLocal<RdmaGrpcCall> KEY = ContextLocal.registerLocal(RdmaGrpcCall.class);

  @Override
  public void init(VertxBootstrap bootstrap) {
    // Empty: loading this class registers the variable.
  }
}
