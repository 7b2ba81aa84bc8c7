package io.github.vertxrdma.grpc;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.grpc.impl.InPlaceDecoder;
import io.vertx.grpc.common.GrpcMessageDecoder;

/** A decoder of messages that stay where the fabric has written them. */
public final class RdmaMessageDecoder {
  /**
   * Decodes a message without a copy: long ones as a view of registered memory, short, compressed and HTTP/2's as one of the heap. Whoever
   * is given it, by {@code handler} or {@code last()}, releases it, on any thread, and may keep it beyond the end of the call; its bytes
   * are good until then. The memory is that of {@link io.github.vertxrdma.RdmaOptions#getZeroCopyBytes}: while none of it is left, messages
   * come by the heap. Each message can be taken once.
   */
  public static final GrpcMessageDecoder<RdmaMessage> IN_PLACE = new InPlaceDecoder();

  private RdmaMessageDecoder() {
  }
}
