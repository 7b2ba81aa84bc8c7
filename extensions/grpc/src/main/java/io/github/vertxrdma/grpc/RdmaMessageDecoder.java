package io.github.vertxrdma.grpc;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.grpc.impl.InPlaceDecoder;
import io.vertx.grpc.common.GrpcMessageDecoder;

public final class RdmaMessageDecoder {
  /**
   * Decodes a message without a copy, as a view of registered memory. Messages are on the heap if they are short, compressed or came over
   * HTTP/2, and while {@link io.github.vertxrdma.RdmaOptions#getZeroCopyBytes} are used up. The bytes are valid until the receiver releases
   * the message, on any thread, also after the end of the call. Each message can be decoded once.
   */
  public static final GrpcMessageDecoder<RdmaMessage> IN_PLACE = new InPlaceDecoder();

  private RdmaMessageDecoder() {
  }
}
