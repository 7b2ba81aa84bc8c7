package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Requests and replies as messages of a connection whose two ends know them, which they tell each other in front of the application's
 * private data. A message that begins with {@link #MAGIC} is one, or carries an ordinary message that happens to begin so. Mirrors
 * docs/protocol.
 */
public final class RequestFrame {
  /** Kinds of messages, by their numbers on the wire. */
  public enum Type {
    /** An ordinary message. */
    MESSAGE(null),
    REQUEST(null),
    REPLY(null),
    /** The peer's handler failed; words follow, as they do in those below. */
    FAILED(Reason.REJECTED),
    /** The peer has too many requests that it has not answered. */
    LIMIT(Reason.LIMIT),
    /** The peer has no handler any more. */
    UNHANDLED(Reason.UNSUPPORTED),
    /** The reply is larger than what this side takes. */
    TOO_LARGE(Reason.TOO_LARGE);

    private static final Type[] ALL = values();
    /** Of the requester's failure; null for what is none. */
    final Reason reason;

    Type(Reason reason) {
      this.reason = reason;
    }
  }

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final long MAGIC = 0xD7A1_5C3E_9B42_F86DL;
  private static final byte VERSION = 1;
  /** Bytes of magic, type and number. */
  static final int HEADER = 16;
  /** Bytes in front of private data. */
  public static final int OFFER = 9;
  private static final byte[] OFFERED_ALONE = offered(new byte[0]);
  private static final int TYPE_SHIFT = 56;
  private static final long NUMBERS = (1L << TYPE_SHIFT) - 1;

  private RequestFrame() {
  }

  // ---- in private data

  /** Private data with the word in front that this end knows requests; not to be changed. */
  public static byte[] offer(byte[] privateData) {
    return privateData.length == 0 ? OFFERED_ALONE : offered(privateData);
  }

  private static byte[] offered(byte[] privateData) {
    ByteBuf out = Unpooled.buffer(OFFER + privateData.length);
    out.writeLong(MAGIC).writeByte(VERSION).writeBytes(privateData);
    return out.array();
  }

  /** Tells whether the peer that sent this knows requests. */
  public static boolean isOffered(byte[] data) {
    return data.length >= OFFER && isOne(Unpooled.wrappedBuffer(data)) && data[OFFER - 1] >= VERSION;
  }

  /** The application's private data. */
  static byte[] privateData(byte[] data) {
    return isOffered(data) ? Arrays.copyOfRange(data, OFFER, data.length) : data;
  }

  // ---- among messages

  /** Tells whether a message is a frame, or would be taken for one. */
  static boolean isOne(ByteBuf message) {
    return message.readableBytes() >= Long.BYTES && message.getLong(message.readerIndex()) == MAGIC;
  }

  /** Likewise. */
  static boolean isOne(MemorySegment message) {
    return message.byteSize() >= Long.BYTES && message.get(WORD, 0) == MAGIC;
  }

  /** A frame with a copy of a body. */
  static ByteBuf of(Type type, long number, ByteBuf body) {
    int size = body.readableBytes();
    ByteBuf out = new HeapBuffer(new byte[HEADER + size]).clear();
    out.writeLong(MAGIC).writeLong((long) type.ordinal() << TYPE_SHIFT | number).writeBytes(body, body.readerIndex(), size);
    return out;
  }

  static void number(ByteBuf frame, long number) {
    frame.setLong(Long.BYTES, (long) type(frame).ordinal() << TYPE_SHIFT | number);
  }

  /** Null for a frame of a type that there is not, or one cut short. */
  public static Type type(ByteBuf frame) {
    int type = frame.readableBytes() < HEADER ? Type.ALL.length : (int) (word(frame) >>> TYPE_SHIFT);
    return type < Type.ALL.length ? Type.ALL[type] : null;
  }

  public static long number(ByteBuf frame) {
    return word(frame) & NUMBERS;
  }

  /** The body of a frame on the heap, whose memory it shares. */
  public static ByteBuf body(ByteBuf frame) {
    return frame.slice(frame.readerIndex() + HEADER, frame.readableBytes() - HEADER);
  }

  private static long word(ByteBuf frame) {
    return frame.getLong(frame.readerIndex() + Long.BYTES);
  }
}
