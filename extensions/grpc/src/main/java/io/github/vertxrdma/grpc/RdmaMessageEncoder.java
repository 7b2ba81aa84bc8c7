package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.InPlaceEncoder;
import io.vertx.grpc.common.GrpcMessageEncoder;

/** An encoder of messages that are written where the fabric sends them from. */
public final class RdmaMessageEncoder {
  /**
   * Encodes messages whose application writes them when they are sent, without a copy. Over HTTP/2, or compressed, they are written to the
   * heap.
   */
  public static final GrpcMessageEncoder<RdmaPayload> IN_PLACE = new InPlaceEncoder();

  private RdmaMessageEncoder() {
  }
}
