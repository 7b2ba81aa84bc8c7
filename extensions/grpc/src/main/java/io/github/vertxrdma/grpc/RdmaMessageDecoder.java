package io.github.vertxrdma.grpc;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.grpc.impl.InPlaceDecoder;
import io.vertx.grpc.common.GrpcMessageDecoder;

public final class RdmaMessageDecoder {
  /**
   * Decodes a message without a copy, as a view of registered memory; short and compressed ones, and those of HTTP/2, as a view of the
   * heap. The receiver releases it, on any thread, also after the end of the call; its bytes are valid until then. While {@link
   * io.github.vertxrdma.RdmaOptions#getZeroCopyBytes} are used up, messages use the heap. Each message can be taken once.
   */
  public static final GrpcMessageDecoder<RdmaMessage> IN_PLACE = new InPlaceDecoder();

  private RdmaMessageDecoder() {
  }
}
