package io.github.vertxrdma.grpc.impl;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.WireFormat;
import java.io.IOException;

/** A protobuf message that is encoded directly into its frame when that is sent. */
record OutgoingMessage(MessageLite message) implements GrpcMessage {
  private static final Class<?> PROTOBUF = GrpcMessageEncoder.encoder().getClass();

  static <T> GrpcMessage of(GrpcMessageEncoder<T> encoder, T message, WireFormat format) {
    return encoder.getClass() == PROTOBUF && format == WireFormat.PROTOBUF ? new OutgoingMessage((MessageLite) message)
      : encoder.encode(message, format);
  }

  int size() {
    return message.getSerializedSize();
  }

  void writeTo(Buffer frame) {
    int size = size();
    ByteBuf bytes = ((BufferInternal) frame).unwrap().ensureWritable(size);
    int at = bytes.writerIndex();
    try {
      CodedOutputStream out = bytes.hasArray() ? CodedOutputStream.newInstance(bytes.array(), bytes.arrayOffset() + at, size)
        : CodedOutputStream.newInstance(bytes.nioBuffer(at, size));
      message.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UnsentException(GrpcStatus.INTERNAL, "a message of protobuf cannot be written: " + e);
    }
    bytes.writerIndex(at + size);
  }

  @Override
  public String encoding() {
    return MessageWriter.IDENTITY;
  }

  @Override
  public WireFormat format() {
    return WireFormat.PROTOBUF;
  }

  @Override
  public Buffer payload() {
    Buffer bytes = Buffer.buffer(size());
    writeTo(bytes);
    return bytes;
  }
}
