package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.base.VersionRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Encoding of messages, as documented in the package {@code io.github.vertxrdma.bus}. */
final class BusWire {
  private static final VersionRange VERSIONS = new VersionRange(2, 2);
  private static final String NAME = "bus/";
  static final String PROTOCOL = NAME + VERSIONS.text();

  static final int SEND = 1;
  static final int PUBLISH = 2;
  static final int REQUEST = 3;
  static final int REPLY = 4;
  static final int FAILURE = 5;
  static final int DRAIN = 6;
  static final int HEADERS = 16;

  static final int NULL = 0;
  static final int BUFFER = 1;
  static final int BYTES = 2;
  static final int STRING = 3;
  static final int OBJECT = 4;
  static final int ARRAY = 5;
  static final int INT = 6;
  static final int LONG = 7;
  static final int SHORT = 8;
  static final int BYTE = 9;
  static final int FLOAT = 10;
  static final int DOUBLE = 11;
  static final int BOOLEAN = 12;
  static final int CHAR = 13;

  static final int TYPE = 1;
  static final int ANSWERS = 2;
  static final int ID = 6;
  static final int TIMEOUT = 10;
  static final int SIZE = 14;

  /** Larger bodies are sent without a copy. */
  private static final int COPIED = 4 << 10;
  private static final byte[] NONE = new byte[0];
  private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private BusWire() {
  }

  /** Returns milliseconds, at least 1. */
  static int timeout(DeliveryOptions options) {
    return (int) Math.min(Math.max(options.getSendTimeout(), 1), Integer.MAX_VALUE);
  }

  static void check(DeliveryOptions delivery) {
    if (delivery.getCodecName() != null) {
      throw new IllegalArgumentException("codec '" + delivery.getCodecName() + "' means nothing to a service: send a Buffer");
    }
    if (delivery.isLocalOnly()) {
      throw new IllegalArgumentException("localOnly means nothing to a service, which is wherever its instance is");
    }
  }

  /**
   * Returns why a peer has another protocol, or null.
   *
   * @param protocol that the peer names; may be null
   */
  static String disagreement(String protocol) {
    if (protocol == null || !protocol.startsWith(NAME)) {
      return "it does not speak the protocol of services of the event bus";
    }
    VersionRange peer = VersionRange.parse(protocol.substring(NAME.length()));
    return VERSIONS.common(peer) == 0 ? VERSIONS.refusal("it", "the protocol of services of the event bus", peer) : null;
  }

  static byte[] hello() {
    return PROTOCOL.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * The id of a request is set later.
   *
   * @param answers id of the answered request, or 0
   * @param timeout in milliseconds, or 0
   * @param headers may be null
   * @throws IllegalArgumentException if the body cannot be sent
   */
  static ByteBuf encode(int kind, int answers, int timeout, MultiMap headers, Object body) {
    byte[] extra = headers == null || headers.isEmpty() ? NONE : headers(headers);
    int at = SIZE + extra.length;
    byte[] out;
    switch (body) {
      case null -> out = head(kind, NULL, answers, timeout, extra, 0);
      case Buffer buffer -> {
        ByteBuf bytes = ((BufferInternal) buffer).getByteBuf();
        int length = bytes.readableBytes();
        if (length > COPIED) {
          return Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(head(kind, BUFFER, answers, timeout, extra, 0)), bytes);
        }
        out = head(kind, BUFFER, answers, timeout, extra, length);
        bytes.getBytes(bytes.readerIndex(), out, at, length);
      }
      case byte[] bytes -> {
        if (bytes.length > COPIED) {
          return Unpooled.wrappedBuffer(head(kind, BYTES, answers, timeout, extra, 0), bytes);
        }
        out = head(kind, BYTES, answers, timeout, extra, bytes.length);
        System.arraycopy(bytes, 0, out, at, bytes.length);
      }
      case String string -> out = text(kind, STRING, answers, timeout, extra, string);
      case JsonObject json -> out = text(kind, OBJECT, answers, timeout, extra, json.encode());
      case JsonArray json -> out = text(kind, ARRAY, answers, timeout, extra, json.encode());
      case Integer value -> {
        out = head(kind, INT, answers, timeout, extra, 4);
        INTS.set(out, at, (int) value);
      }
      case Long value -> out = word(kind, LONG, answers, timeout, extra, value);
      case Double value -> out = word(kind, DOUBLE, answers, timeout, extra, Double.doubleToLongBits(value));
      case Float value -> {
        out = head(kind, FLOAT, answers, timeout, extra, 4);
        INTS.set(out, at, Float.floatToIntBits(value));
      }
      case Short value -> out = half(kind, SHORT, answers, timeout, extra, value);
      case Character value -> out = half(kind, CHAR, answers, timeout, extra, value);
      case Byte value -> {
        out = head(kind, BYTE, answers, timeout, extra, 1);
        out[at] = value;
      }
      case Boolean value -> {
        out = head(kind, BOOLEAN, answers, timeout, extra, 1);
        out[at] = (byte) (value ? 1 : 0);
      }
      default -> throw new IllegalArgumentException("a body of " + body.getClass().getName() + " cannot be sent to a service: send"
        + " Buffer, byte[], String, JsonObject, JsonArray, a boxed primitive or null");
    }
    return Unpooled.wrappedBuffer(out);
  }

  static ByteBuf failure(int answers, ReplyException failure) {
    String message = failure.getMessage();
    byte[] text = message == null ? NONE : message.getBytes(StandardCharsets.UTF_8);
    byte[] out = head(FAILURE, message == null ? NULL : STRING, answers, 0, NONE, 5 + text.length);
    out[SIZE] = (byte) failure.failureType().toInt();
    INTS.set(out, SIZE + 1, failure.failureCode());
    System.arraycopy(text, 0, out, SIZE + 5, text.length);
    return Unpooled.wrappedBuffer(out);
  }

  static ByteBuf drain() {
    return Unpooled.wrappedBuffer(head(DRAIN, NULL, 0, 0, NONE, 0));
  }

  private static byte[] head(int kind, int type, int answers, int timeout, byte[] extra, int body) {
    byte[] out = new byte[SIZE + extra.length + body];
    out[0] = (byte) (extra.length == 0 ? kind : kind | HEADERS);
    out[TYPE] = (byte) type;
    INTS.set(out, ANSWERS, answers);
    INTS.set(out, TIMEOUT, timeout);
    System.arraycopy(extra, 0, out, SIZE, extra.length);
    return out;
  }

  private static byte[] text(int kind, int type, int answers, int timeout, byte[] extra, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] out = head(kind, type, answers, timeout, extra, bytes.length);
    System.arraycopy(bytes, 0, out, SIZE + extra.length, bytes.length);
    return out;
  }

  private static byte[] word(int kind, int type, int answers, int timeout, byte[] extra, long value) {
    byte[] out = head(kind, type, answers, timeout, extra, 8);
    INTS.set(out, SIZE + extra.length, (int) (value >>> 32));
    INTS.set(out, SIZE + extra.length + 4, (int) value);
    return out;
  }

  private static byte[] half(int kind, int type, int answers, int timeout, byte[] extra, int value) {
    byte[] out = head(kind, type, answers, timeout, extra, 2);
    out[SIZE + extra.length] = (byte) (value >>> 8);
    out[SIZE + extra.length + 1] = (byte) value;
    return out;
  }

  private static byte[] headers(MultiMap headers) {
    if (headers.size() > 0xffff) {
      throw new IllegalArgumentException(headers.size() + " headers: at most 65535");
    }
    ByteBuf out = Unpooled.buffer(256);
    out.writeShort(0);
    int count = 0;
    for (Map.Entry<String, String> header : headers) {
      string(out, header.getKey());
      string(out, header.getValue());
      count++;
    }
    out.setShort(0, count);
    return ByteBufUtil.getBytes(out);
  }

  private static void string(ByteBuf out, String text) {
    int at = out.writerIndex();
    out.writeInt(0);
    out.setInt(at, out.writeCharSequence(text, StandardCharsets.UTF_8));
  }
}
