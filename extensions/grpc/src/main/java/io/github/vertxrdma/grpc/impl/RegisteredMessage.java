package io.github.vertxrdma.grpc.impl;

import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.WireFormat;
import java.nio.ByteBuffer;

/**
 * A received message in registered memory. Parsing the message or reading its payload releases the memory, after which both are still
 * possible. {@link #take} passes the memory to the application. Thread-safe, because handlers may pass the message to other threads.
 */
final class RegisteredMessage implements GrpcMessage {
  /** Class of protobuf's decoders. Others get the bytes on the heap, because they may keep them. */
  private static final Class<?> PROTOBUF = GrpcMessageDecoder.decoder(Empty.getDefaultInstance()).getClass();
  private static final GrpcMessage EMPTY = GrpcMessage.message(MessageWriter.IDENTITY, Buffer.buffer());

  final int length;
  /** Null after it was released. */
  private RdmaMessage memory;
  /** Bytes in {@link #memory} or on the heap; null after they were parsed. */
  private Buffer bytes;
  private MessageLite parsed;

  RegisteredMessage(RdmaMessage memory, Buffer bytes) {
    this.length = bytes.length();
    this.memory = memory;
    this.bytes = bytes;
  }

  static boolean isFor(GrpcMessageDecoder<?> decoder) {
    return decoder.getClass() == PROTOBUF || isTakenBy(decoder);
  }

  private static boolean isTakenBy(GrpcMessageDecoder<?> decoder) {
    return decoder instanceof InPlaceDecoder;
  }

  @SuppressWarnings("unchecked")
  synchronized <T> T decode(GrpcMessageDecoder<T> decoder) {
    if (memory != null && !isTakenBy(decoder)) {
      parse(decoder);
    }
    return parsed == null ? decoder.decode(this) : (T) parsed;
  }

  private void parse(GrpcMessageDecoder<?> decoder) {
    MessageLite empty = empty(decoder);
    if (empty == null) {
      return;
    }
    ByteBuffer in = ((BufferInternal) bytes).getByteBuf().nioBuffer();
    try {
      // The parsed fields are copies, because aliasing is off.
      parsed = empty.getParserForType().parseFrom(in);
      bytes = null;
      release();
    } catch (InvalidProtocolBufferException e) {
      throw new CodecException(e);
    }
  }

  /** Returns the decoder's empty message, which has the parser; null if the decoder has none. */
  private static MessageLite empty(GrpcMessageDecoder<?> decoder) {
    try {
      return (MessageLite) decoder.decode(EMPTY);
    } catch (CodecException e) {
      // If the message has required fields, the exception has the empty message.
      return e.getCause() instanceof InvalidProtocolBufferException refusal ? refusal.getUnfinishedMessage() : null;
    }
  }

  /** @throws IllegalStateException if the message was taken before */
  synchronized RdmaMessage take() {
    RdmaMessage taken = new InPlaceDecoder.Payload(held(), memory);
    memory = null;
    bytes = null;
    return taken;
  }

  /**
   * Parses the message or moves it to the heap, unless the application wants registered memory.
   *
   * @param wanted true if {@code last()} was called
   */
  synchronized void keep(GrpcMessageDecoder<?> decoder, boolean wanted) {
    if (!isTakenBy(decoder)) {
      try {
        parse(decoder);
      } catch (CodecException e) {
        // The decoder will report the same failure to the application.
      }
    }
    if (!wanted || !isTakenBy(decoder)) {
      toHeap();
    }
  }

  synchronized void toHeap() {
    if (memory != null) {
      bytes = onHeap(bytes);
      release();
    }
  }

  static Buffer onHeap(Buffer bytes) {
    return Buffer.buffer(bytes.getBytes());
  }

  synchronized void release() {
    if (memory != null) {
      memory.release();
      memory = null;
    }
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
    toHeap();
    if (parsed != null && bytes == null) {
      bytes = Buffer.buffer(parsed.toByteArray());
    }
    return held();
  }

  private Buffer held() {
    if (bytes == null) {
      throw new IllegalStateException("this message is already taken and belongs to the code that took it");
    }
    return bytes;
  }
}
