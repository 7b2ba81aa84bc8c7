package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.CallLocal;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;

/** A call as seen by interceptors at either side, and by the code that serves it. */
public interface RdmaGrpcCall {

  /** Returns the call that the current context serves, over a fabric or HTTP/2; null if it serves none. */
  static RdmaGrpcCall current() {
    Context context = Vertx.currentContext();
    return context == null ? null : ((ContextInternal) context).getLocal(CallLocal.KEY);
  }

  /** Returns service and method, as in {@code package.Service/Method}. */
  String fullMethodName();

  /** Returns the request's metadata. An interceptor may change them; the handler of a served call sees the changes. */
  MultiMap headers();

  /**
   * Returns the node at the other side. It has proved the cluster secret together with this id, see {@link
   * io.github.vertxrdma.RdmaAuthorizer}. Null over HTTP/2, where nothing is proved, and at a client that has lost its connection.
   */
  String remoteNodeId();
}
