package io.github.vertxrdma.grpc.impl;

import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.WireFormat;

/**
 * A received protobuf message in registered memory, which is valid only while the frame is handled. The message is parsed there if the
 * application reads it during this time; otherwise it is copied to the heap. Thread-safe, because handlers may pass the message to other
 * threads.
 */
final class RegisteredMessage implements GrpcMessage {
  /** Class of the protobuf decoders. Other decoders get bytes on the heap, because they may retain them. */
  private static final Class<?> PROTOBUF = GrpcMessageDecoder.decoder(Empty.getDefaultInstance()).getClass();
  private static final GrpcMessage EMPTY = GrpcMessage.message(MessageWriter.IDENTITY, Buffer.buffer());

  final int length;
  /** Bytes in registered memory, or on the heap if {@link #onHeap}; null after parsing. */
  private Buffer bytes;
  private boolean onHeap;
  private MessageLite parsed;

  RegisteredMessage(Buffer bytes) {
    this.length = bytes.length();
    this.bytes = bytes;
  }

  static boolean isFor(GrpcMessageDecoder<?> decoder) {
    return decoder.getClass() == PROTOBUF;
  }

  @SuppressWarnings("unchecked")
  synchronized <T> T decode(GrpcMessageDecoder<T> decoder) {
    parse(decoder);
    return parsed == null ? decoder.decode(this) : (T) parsed;
  }

  /** Parses the message if it is in registered memory. An invalid message is copied to the heap, and the decoder reports the failure. */
  synchronized void parse(GrpcMessageDecoder<?> decoder) {
    if (parsed != null || onHeap) {
      return;
    }
    try {
      // The parsed fields are copies, because aliasing is off by default.
      parsed = empty(decoder).getParserForType().parseFrom(((BufferInternal) bytes).getByteBuf().nioBuffer());
      bytes = null;
    } catch (InvalidProtocolBufferException e) {
      toHeap();
    }
  }

  /** Returns the decoder's empty message, which has the parser. */
  private static MessageLite empty(GrpcMessageDecoder<?> decoder) {
    try {
      return (MessageLite) decoder.decode(EMPTY);
    } catch (CodecException e) {
      // The exception for missing required fields contains the empty message.
      return ((InvalidProtocolBufferException) e.getCause()).getUnfinishedMessage();
    }
  }

  synchronized void toHeap() {
    if (bytes != null && !onHeap) {
      bytes = onHeap(bytes);
      onHeap = true;
    }
  }

  static Buffer onHeap(Buffer bytes) {
    return Buffer.buffer(bytes.getBytes());
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
  public synchronized Buffer payload() {
    if (bytes == null) {
      bytes = Buffer.buffer(parsed.toByteArray());
      onHeap = true;
    }
    toHeap();
    return bytes;
  }
}
