package io.github.vertxrdma.grpc;

import io.github.vertxrdma.grpc.impl.InPlaceEncoder;
import io.vertx.grpc.common.GrpcMessageEncoder;

public final class RdmaMessageEncoder {
  /**
   * Lets the application write a message into the memory from which it is sent. The memory is on the heap for HTTP/2 and compressed
   * messages.
   */
  public static final GrpcMessageEncoder<RdmaPayload> IN_PLACE = new InPlaceEncoder();

  private RdmaMessageEncoder() {
  }
}
