package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Encoding of messages, described in docs/protocol.adoc. */
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

  /** Size in bytes above which bodies are sent without a copy. */
  private static final int COPIED = 4 << 10;
  private static final byte[] NONE = new byte[0];

  private BusWire() {
  }

  /** Returns the send timeout in milliseconds, at least 1. */
  static int timeout(DeliveryOptions options) {
    return (int) Math.min(Math.max(options.getSendTimeout(), 1), Integer.MAX_VALUE);
  }

  static void check(DeliveryOptions delivery) {
    if (delivery.getCodecName() != null) {
      throw new IllegalArgumentException("cannot send with codec '" + delivery.getCodecName() + "': services do not use codecs. "
        + "Send a Buffer.");
    }
    if (delivery.isLocalOnly()) {
      throw new IllegalArgumentException("cannot send with localOnly: a service may run on another node. Remove the option.");
    }
  }

  /** Returns why the peer's protocol is incompatible, or null if it is compatible. */
  static String disagreement(String speaker, String protocol) {
    if (protocol == null || !protocol.startsWith(NAME)) {
      return speaker + " does not use the protocol of event bus services";
    }
    VersionRange peer = VersionRange.parse(protocol.substring(NAME.length()));
    return VERSIONS.common(peer) == 0 ? VERSIONS.refusal(speaker, "the protocol of event bus services", peer) : null;
  }

  static byte[] hello() {
    return PROTOCOL.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Encodes a message. The id of a request is set later.
   *
   * @param answers id of the answered request, or 0
   * @param timeout in milliseconds, or 0
   * @throws IllegalArgumentException if the body cannot be sent
   */
  static ByteBuf encode(int kind, int answers, int timeout, MultiMap headers, Object body) {
    byte[] extra = headers(headers);
    return switch (body) {
      case null -> head(kind, NULL, answers, timeout, extra, 0);
      case Buffer buffer -> {
        ByteBuf bytes = ((BufferInternal) buffer).getByteBuf();
        int length = bytes.readableBytes();
        yield length > COPIED ? Unpooled.wrappedBuffer(head(kind, BUFFER, answers, timeout, extra, 0), bytes)
          : head(kind, BUFFER, answers, timeout, extra, length).writeBytes(bytes, bytes.readerIndex(), length);
      }
      case byte[] bytes -> bytes.length > COPIED
        ? Unpooled.wrappedBuffer(head(kind, BYTES, answers, timeout, extra, 0), Unpooled.wrappedBuffer(bytes))
        : bytes(kind, BYTES, answers, timeout, extra, bytes);
      case String string -> bytes(kind, STRING, answers, timeout, extra, string.getBytes(StandardCharsets.UTF_8));
      case JsonObject json -> bytes(kind, OBJECT, answers, timeout, extra, json.encode().getBytes(StandardCharsets.UTF_8));
      case JsonArray json -> bytes(kind, ARRAY, answers, timeout, extra, json.encode().getBytes(StandardCharsets.UTF_8));
      case Integer value -> head(kind, INT, answers, timeout, extra, 4).writeInt(value);
      case Long value -> head(kind, LONG, answers, timeout, extra, 8).writeLong(value);
      case Double value -> head(kind, DOUBLE, answers, timeout, extra, 8).writeDouble(value);
      case Float value -> head(kind, FLOAT, answers, timeout, extra, 4).writeFloat(value);
      case Short value -> head(kind, SHORT, answers, timeout, extra, 2).writeShort(value);
      case Character value -> head(kind, CHAR, answers, timeout, extra, 2).writeChar(value);
      case Byte value -> head(kind, BYTE, answers, timeout, extra, 1).writeByte(value);
      case Boolean value -> head(kind, BOOLEAN, answers, timeout, extra, 1).writeBoolean(value);
      default -> throw new IllegalArgumentException("cannot send a body of class " + body.getClass().getName() + " to a service: "
        + "send Buffer, byte[], String, JsonObject, JsonArray, a boxed primitive or null");
    };
  }

  /** @param vertx has the codecs of subclasses; null for a plain failure */
  static ByteBuf failure(int answers, ReplyException failure, Vertx vertx) {
    String message = failure.getMessage();
    byte[] text = message == null ? NONE : message.getBytes(StandardCharsets.UTF_8);
    byte[] extra = vertx == null || failure.getClass() == ReplyException.class ? NONE : headers(FailureCodecs.encode(vertx, failure));
    return head(FAILURE, message == null ? NULL : STRING, answers, 0, extra, 5 + text.length)
      .writeByte(failure.failureType().toInt()).writeInt(failure.failureCode()).writeBytes(text);
  }

  static ByteBuf drain() {
    return head(DRAIN, NULL, 0, 0, NONE, 0);
  }

  private static ByteBuf bytes(int kind, int type, int answers, int timeout, byte[] extra, byte[] bytes) {
    return head(kind, type, answers, timeout, extra, bytes.length).writeBytes(bytes);
  }

  private static ByteBuf head(int kind, int type, int answers, int timeout, byte[] extra, int body) {
    return new HeapBuffer(new byte[SIZE + extra.length + body]).clear().writeByte(extra.length == 0 ? kind : kind | HEADERS)
      .writeByte(type).writeInt(answers).writeInt(0).writeInt(timeout).writeBytes(extra);
  }

  private static byte[] headers(MultiMap headers) {
    if (headers == null || headers.isEmpty()) {
      return NONE;
    }
    if (headers.size() > 0xffff) {
      throw new IllegalArgumentException("cannot send a message with " + headers.size() + " headers: at most 65535 are allowed");
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
