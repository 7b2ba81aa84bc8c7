package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.InPlaceEncoder;
import io.vertx.grpc.common.GrpcMessageEncoder;

public final class RdmaMessageEncoder {
  /** Encodes messages that the application writes when they are sent, without a copy. Over HTTP/2, or compressed, they use the heap. */
  public static final GrpcMessageEncoder<RdmaPayload> IN_PLACE = new InPlaceEncoder();

  private RdmaMessageEncoder() {
  }
}
