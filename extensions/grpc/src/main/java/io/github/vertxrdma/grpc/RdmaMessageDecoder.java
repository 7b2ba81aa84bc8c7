package io.github.vertxrdma.grpc;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.grpc.impl.InPlaceDecoder;
import io.vertx.grpc.common.GrpcMessageDecoder;

/** Decoder of messages that are read in the fabric's memory. */
public final class RdmaMessageDecoder {
  /**
   * Decodes a message without a copy: long ones as a view of registered memory; short and compressed ones, and those of HTTP/2, as a view
   * of the heap. The receiver, by {@code handler} or {@code last()}, releases it, on any thread, and may keep it beyond the end of the
   * call; its bytes are valid until then. The memory is that of {@link io.github.vertxrdma.RdmaOptions#getZeroCopyBytes}: while it is used
   * up, messages use the heap. Each message can be taken once.
   */
  public static final GrpcMessageDecoder<RdmaMessage> IN_PLACE = new InPlaceDecoder();

  private RdmaMessageDecoder() {
  }
}
