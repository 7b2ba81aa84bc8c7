package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.CallLocal;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;

/** A call as interceptors see it at either side, and as the code that serves it finds it. */
public interface RdmaGrpcCall {

  /** The call that the current context serves, over a fabric or HTTP/2; null if it serves none. */
  static RdmaGrpcCall current() {
    Context context = Vertx.currentContext();
    return context == null ? null : ((ContextInternal) context).getLocal(CallLocal.KEY);
  }

  /** Service and method, as in {@code package.Service/Method}. */
  String fullMethodName();

  /** The request's metadata. An interceptor may change them; of a call that is served they are what its handler sees. */
  MultiMap headers();

  /**
   * The node at the other side. It has proved the cluster secret together with this id, as {@link io.github.vertxrdma.RdmaAuthorizer}
   * tells. Null over HTTP/2, where nothing is proved, and at a client that has lost its connection.
   */
  String remoteNodeId();
}
