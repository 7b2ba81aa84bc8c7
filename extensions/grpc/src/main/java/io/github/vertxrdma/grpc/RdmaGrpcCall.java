package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.CallLocal;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;

/** A call as seen by interceptors and by the code that serves it. */
public interface RdmaGrpcCall {

  /** Returns the call that the current context serves; null for none. */
  static RdmaGrpcCall current() {
    Context context = Vertx.currentContext();
    return context == null ? null : ((ContextInternal) context).getLocal(CallLocal.KEY);
  }

  /** Returns service and method, as in {@code package.Service/Method}. */
  String fullMethodName();

  /** Returns the request's metadata, which interceptors may change. */
  MultiMap headers();

  /**
   * Returns the id of the other node, proved with the cluster secret; null over HTTP/2, and at a client before the call has a connection.
   */
  String remoteNodeId();
}
