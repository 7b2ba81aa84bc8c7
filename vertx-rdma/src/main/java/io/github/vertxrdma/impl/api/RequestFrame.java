package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Message that begins with MAGIC and contains a request or reply, see docs/protocol.adoc. An application's message that begins so is sent
 * in a frame of type MESSAGE.
 */
public final class RequestFrame {
  public enum Type {
    MESSAGE(null),
    REQUEST(null),
    REPLY(null),
    FAILED(Reason.REJECTED),
    LIMIT(Reason.LIMIT),
    UNHANDLED(Reason.UNSUPPORTED),
    TOO_LARGE(Reason.TOO_LARGE);

    private static final Type[] ALL = values();
    final Reason reason;

    Type(Reason reason) {
      this.reason = reason;
    }
  }

  static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final long MAGIC = 0xD7A1_5C3E_9B42_F86DL;
  private static final VersionRange VERSIONS = new VersionRange(2, 2);
  static final int HEADER = 16;
  public static final int OFFER = Long.BYTES + Short.BYTES;
  static final int NUMBER_BITS = 56;
  private static final long NUMBERS = (1L << NUMBER_BITS) - 1;

  private RequestFrame() {
  }

  public static byte[] offer(byte[] privateData) {
    ByteBuf out = Unpooled.buffer(OFFER + privateData.length);
    out.writeLong(MAGIC).writeShort(VERSIONS.word()).writeBytes(privateData);
    return out.array();
  }

  public static boolean isOffered(byte[] data) {
    return data.length >= OFFER && ByteBuffer.wrap(data).getLong() == MAGIC;
  }

  static String disagreement(byte[] data) {
    if (!isOffered(data)) {
      return "the peer's version of vertx-rdma does not support requests";
    }
    VersionRange peer = VersionRange.of(ByteBuffer.wrap(data).getShort(Long.BYTES));
    return VERSIONS.common(peer) == 0 ? VERSIONS.refusal("the peer", "requests", peer) : null;
  }

  static byte[] privateData(byte[] data) {
    return isOffered(data) ? Arrays.copyOfRange(data, OFFER, data.length) : data;
  }

  static ByteBuf of(Type type, long number, ByteBuf body) {
    int size = body.readableBytes();
    ByteBuf out = new HeapBuffer(new byte[HEADER + size]).clear();
    out.writeLong(MAGIC).writeLong((long) type.ordinal() << NUMBER_BITS | number).writeBytes(body, body.readerIndex(), size);
    return out;
  }

  static void number(ByteBuf frame, long number) {
    frame.setLong(Long.BYTES, (long) type(frame).ordinal() << NUMBER_BITS | number);
  }

  public static Type type(ByteBuf frame) {
    int type = frame.readableBytes() < HEADER ? Type.ALL.length : (int) (word(frame) >>> NUMBER_BITS);
    return type < Type.ALL.length ? Type.ALL[type] : null;
  }

  public static long number(ByteBuf frame) {
    return word(frame) & NUMBERS;
  }

  public static ByteBuf body(ByteBuf frame) {
    return frame.slice(frame.readerIndex() + HEADER, frame.readableBytes() - HEADER);
  }

  private static long word(ByteBuf frame) {
    return frame.getLong(frame.readerIndex() + Long.BYTES);
  }
}
