package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.CallLocal;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;

/** A gRPC call, for interceptors and for the code that serves it. */
public interface RdmaGrpcCall {

  /** Returns the call that the current context serves; null for none. */
  static RdmaGrpcCall current() {
    Context context = Vertx.currentContext();
    return context == null ? null : ((ContextInternal) context).getLocal(CallLocal.KEY);
  }

  /** Returns service and method, as in {@code package.Service/Method}. */
  String fullMethodName();

  /** Returns the metadata of the request, which interceptors may change. */
  MultiMap headers();

  /** Returns the id of the peer node, authenticated with the cluster secret. Null over HTTP/2, and at a client without a connection. */
  String remoteNodeId();
}
