package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaPayload;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.WireFormat;

public final class InPlaceEncoder implements GrpcMessageEncoder<RdmaPayload> {

  @Override
  public GrpcMessage encode(RdmaPayload message, WireFormat format) {
    return new OutgoingMessage.OfPayload(message, format);
  }

  @Override
  public boolean accepts(WireFormat format) {
    return true;
  }
}
