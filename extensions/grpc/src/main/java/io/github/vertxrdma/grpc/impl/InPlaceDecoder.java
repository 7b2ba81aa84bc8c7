package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.WireFormat;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;

/** Passes the memory of a message to the application. */
public final class InPlaceDecoder implements GrpcMessageDecoder<RdmaMessage> {

  @Override
  public RdmaMessage decode(GrpcMessage message) {
    return message instanceof RegisteredMessage registered ? registered.take() : new Payload(message.payload(), null);
  }

  @Override
  public boolean accepts(WireFormat format) {
    return true;
  }

  static final class Payload implements RdmaMessage {
    private final AtomicReference<Buffer> body;
    /** Null if the bytes are on the heap. */
    private final RdmaMessage frame;

    Payload(Buffer body, RdmaMessage frame) {
      this.body = new AtomicReference<>(body);
      this.frame = frame;
    }

    @Override
    public MemorySegment segment() {
      return MemorySegment.ofBuffer(((BufferInternal) body()).getByteBuf().nioBuffer()).asReadOnly();
    }

    @Override
    public Buffer body() {
      return there(body.get());
    }

    /** Has no effect: the application has to release the message in any case. */
    @Override
    public RdmaMessage retain() {
      there(body.get());
      return this;
    }

    @Override
    public int size() {
      return body().length();
    }

    @Override
    public boolean isZeroCopy() {
      return frame != null;
    }

    @Override
    public void release() {
      there(body.getAndSet(null));
      if (frame != null) {
        frame.release();
      }
    }

    @Override
    public void close() {
      if (body.getAndSet(null) != null && frame != null) {
        frame.release();
      }
    }

    private static Buffer there(Buffer body) {
      if (body == null) {
        throw new IllegalStateException("this message is already released");
      }
      return body;
    }
  }
}
