package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.InPlaceEncoder;
import io.vertx.grpc.common.GrpcMessageEncoder;

/** Encoder of messages that are written in the fabric's memory. */
public final class RdmaMessageEncoder {
  /**
   * Encodes messages that the application writes when they are sent, without a copy. Over HTTP/2, or compressed, they are written to the
   * heap.
   */
  public static final GrpcMessageEncoder<RdmaPayload> IN_PLACE = new InPlaceEncoder();

  private RdmaMessageEncoder() {
  }
}
