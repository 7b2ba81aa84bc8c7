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
 * A message that lies where the fabric has written it. Parsing it there, or a look at its bytes, which copies them to the heap, gives that
 * memory back; the other is still answered after that. Whoever takes it takes the memory with it. Thread-safe: its handler may hand it on.
 */
final class RegisteredMessage implements GrpcMessage {
  /** Class of the decoders that Vert.x makes of messages of protobuf. Another may do anything with the bytes, and gets them on the heap. */
  private static final Class<?> PROTOBUF = GrpcMessageDecoder.decoder(Empty.getDefaultInstance()).getClass();
  private static final GrpcMessage EMPTY = GrpcMessage.message(MessageWriter.IDENTITY, Buffer.buffer());

  /** Null once it was given back. */
  private RdmaMessage memory;
  /** The bytes, in that memory or on the heap; null once it is parsed. */
  private Buffer bytes;
  private MessageLite parsed;

  /** @param memory becomes its own @param bytes in that memory */
  RegisteredMessage(RdmaMessage memory, Buffer bytes) {
    this.memory = memory;
    this.bytes = bytes;
  }

  /** Whether a decoder reads messages in place. */
  static boolean isFor(GrpcMessageDecoder<?> decoder) {
    return decoder.getClass() == PROTOBUF || isTakenBy(decoder);
  }

  private static boolean isTakenBy(GrpcMessageDecoder<?> decoder) {
    return decoder instanceof InPlaceDecoder;
  }

  /** The message as the decoder makes it. @param decoder one that it {@link #isFor} */
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
      // Its fields do not share the memory: aliasing is off.
      parsed = empty.getParserForType().parseFrom(in);
      bytes = null;
      release();
    } catch (InvalidProtocolBufferException e) {
      throw new CodecException(e);
    }
  }

  /** The message without fields, whose parser reads others. @return null if the decoder does not show it */
  private static MessageLite empty(GrpcMessageDecoder<?> decoder) {
    try {
      return (MessageLite) decoder.decode(EMPTY);
    } catch (CodecException e) {
      // One with required fields is shown with its refusal.
      return e.getCause() instanceof InvalidProtocolBufferException refusal ? refusal.getUnfinishedMessage() : null;
    }
  }

  /** Hands over the message with its memory. @throws IllegalStateException if that was done before */
  synchronized RdmaMessage take() {
    RdmaMessage taken = new InPlaceDecoder.Payload(held(), memory);
    memory = null;
    bytes = null;
    return taken;
  }

  /** Keeps it for whoever asks for the last one: parsed, or as it is. @param wanted somebody has asked, who takes it with its memory */
  synchronized void keep(GrpcMessageDecoder<?> decoder, boolean wanted) {
    if (!isTakenBy(decoder)) {
      try {
        parse(decoder);
      } catch (CodecException e) {
        // Told to who decodes it.
      }
    }
    if (!wanted || !isTakenBy(decoder)) {
      toHeap();
    }
  }

  /** Gives the memory back if it was not parsed, and keeps the message. */
  synchronized void toHeap() {
    if (memory != null) {
      bytes = onHeap(bytes);
      release();
    }
  }

  static Buffer onHeap(Buffer bytes) {
    return Buffer.buffer(bytes.getBytes());
  }

  /** Gives the memory back unread: nobody will read the message. */
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
      throw new IllegalStateException("this message was taken before: it is its taker's");
    }
    return bytes;
  }
}
