package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.CallLocal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcStatus;

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

  /**
   * Returns the metadata of the response. A server may change them until it sends the first message; later changes have no effect. Null at
   * a client until the response has begun. Over HTTP, ask for them again in the service: what interceptors got is another map.
   */
  MultiMap responseHeaders();

  /** Returns the trailers of the response. A server may change them until the response ends. Null at a client until then. */
  MultiMap responseTrailers();

  /**
   * Returns the status with which the call ends. Call it on the context of the call, where it completes when the call has ended at this
   * side. Over HTTP, it replaces the end and close handlers of the HTTP response. Fails for gRPC-Web, since Vert.x sends that status in the
   * body.
   */
  Future<GrpcStatus> status();

  /** Returns the id of the peer node, authenticated with the cluster secret. Null over HTTP/2, and at a client without a connection. */
  String remoteNodeId();
}
