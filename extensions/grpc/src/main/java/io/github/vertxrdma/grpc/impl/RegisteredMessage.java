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
 * A received protobuf message in registered memory. It is parsed there if its reader takes it while its frame is handled; afterwards it is
 * on the heap. Thread-safe, because handlers may pass the message to other threads.
 */
final class RegisteredMessage implements GrpcMessage {
  /** Class of protobuf's decoders. Others get the bytes on the heap, because they may keep them. */
  private static final Class<?> PROTOBUF = GrpcMessageDecoder.decoder(Empty.getDefaultInstance()).getClass();
  private static final GrpcMessage EMPTY = GrpcMessage.message(MessageWriter.IDENTITY, Buffer.buffer());

  final int length;
  /** Bytes in registered memory, or on the heap if {@link #onHeap}; null after they were parsed. */
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

  /** Parses the message if it is in registered memory. Leaves an invalid message to the decoder, which reports the failure. */
  synchronized void parse(GrpcMessageDecoder<?> decoder) {
    if (parsed != null || onHeap) {
      return;
    }
    try {
      // The parsed fields are copies, because aliasing is off.
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
      // If the message has required fields, the exception has the empty message.
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
