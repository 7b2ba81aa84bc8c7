package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.MultiMap;

/** A call as seen by interceptors at a client. @param remoteNodeId null if it is not known */
record CallView(String fullMethodName, MultiMap headers, String remoteNodeId) implements RdmaGrpcCall {
}
