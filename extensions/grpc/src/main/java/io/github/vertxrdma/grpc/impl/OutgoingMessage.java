package io.github.vertxrdma.grpc.impl;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.github.vertxrdma.grpc.RdmaPayload;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.WireFormat;
import java.io.IOException;

/** A message that is encoded directly into its frame when it is sent. */
abstract class OutgoingMessage implements GrpcMessage {
  private static final Class<?> PROTOBUF = GrpcMessageEncoder.encoder().getClass();

  static <T> GrpcMessage of(GrpcMessageEncoder<T> encoder, T message, WireFormat format) {
    return encoder.getClass() == PROTOBUF && format == WireFormat.PROTOBUF ? new OfProtobuf((MessageLite) message)
      : encoder.encode(message, format);
  }

  abstract int size();

  abstract void writeTo(Buffer frame);

  @Override
  public String encoding() {
    return MessageWriter.IDENTITY;
  }

  @Override
  public Buffer payload() {
    Buffer bytes = Buffer.buffer(size());
    writeTo(bytes);
    return bytes;
  }

  private static final class OfProtobuf extends OutgoingMessage {
    private final MessageLite message;

    OfProtobuf(MessageLite message) {
      this.message = message;
    }

    @Override
    int size() {
      return message.getSerializedSize();
    }

    @Override
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
    public WireFormat format() {
      return WireFormat.PROTOBUF;
    }
  }

  static final class OfPayload extends OutgoingMessage {
    private final RdmaPayload message;
    private final WireFormat format;

    OfPayload(RdmaPayload message, WireFormat format) {
      this.message = message;
      this.format = format;
    }

    @Override
    int size() {
      return message.size();
    }

    @Override
    void writeTo(Buffer frame) {
      int from = frame.length();
      try {
        message.writer().accept(frame);
      } catch (Throwable e) {
        throw new UnsentException(GrpcStatus.INTERNAL, "the writer of a message has failed: " + e);
      }
      if (frame.length() - from != size()) {
        throw new UnsentException(GrpcStatus.INTERNAL,
          "the writer of a message of " + size() + " bytes has written " + (frame.length() - from));
      }
    }

    @Override
    public WireFormat format() {
      return format;
    }
  }
}
