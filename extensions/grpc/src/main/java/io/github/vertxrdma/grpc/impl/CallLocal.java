package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.spi.context.storage.ContextLocal;

/** Context-local variable with the call that a context serves. {@code CallLocalProvider} loads this class. */
public final class CallLocal {
  public static final ContextLocal<RdmaGrpcCall> KEY = ContextLocal.registerLocal(RdmaGrpcCall.class);

  private CallLocal() {
  }
}
