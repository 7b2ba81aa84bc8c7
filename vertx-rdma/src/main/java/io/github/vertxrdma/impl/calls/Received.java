package io.github.vertxrdma.impl.calls;

import io.netty.buffer.ByteBuf;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;

public final class Received {
  private final ByteBuf frame;
  private final MultiMap headers;
  private final int at;

  private Received(ByteBuf frame, MultiMap headers, int at) {
    this.frame = frame;
    this.headers = headers;
    this.at = at;
  }

  public static Received of(ByteBuf frame) {
    int base = frame.readerIndex();
    if (frame.readableBytes() < BusWire.SIZE) {
      throw new IllegalArgumentException("its " + frame.readableBytes() + " bytes are too few for a header");
    }
    if ((frame.getByte(base) & BusWire.HEADERS) == 0) {
      return new Received(frame, null, base + BusWire.SIZE);
    }
    ByteBuf in = frame.slice(base + BusWire.SIZE, frame.readableBytes() - BusWire.SIZE);
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    try {
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        headers.add(string(in), string(in));
      }
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("the headers of a message are truncated", e);
    }
    return new Received(frame, headers, base + BusWire.SIZE + in.readerIndex());
  }

  private static String string(ByteBuf in) {
    int length = in.readInt();
    if (length < 0 || length > in.readableBytes()) {
      throw new IllegalArgumentException("a header should have " + length + " bytes, but only " + in.readableBytes() + " are left in the "
        + "message");
    }
    return in.readString(length, StandardCharsets.UTF_8);
  }

  public int kind() {
    return frame.getByte(frame.readerIndex()) & 15;
  }

  int answers() {
    return frame.getInt(frame.readerIndex() + BusWire.ANSWERS);
  }

  int id() {
    return frame.getInt(frame.readerIndex() + BusWire.ID);
  }

  int timeout() {
    return frame.getInt(frame.readerIndex() + BusWire.TIMEOUT);
  }

  public MultiMap headers() {
    return headers;
  }

  private int type() {
    return frame.getByte(frame.readerIndex() + BusWire.TYPE);
  }

  private int length() {
    return frame.writerIndex() - at;
  }

  /** Decodes the body into a new object. A {@code Buffer} shares the bytes. @throws IllegalArgumentException if it is invalid */
  public Object body() {
    try {
      return switch (type()) {
        case BusWire.NULL -> null;
        case BusWire.BUFFER -> buffer();
        case BusWire.BYTES -> bytes();
        case BusWire.STRING -> frame.toString(at, length(), StandardCharsets.UTF_8);
        case BusWire.OBJECT -> new JsonObject(buffer());
        case BusWire.ARRAY -> new JsonArray(buffer());
        case BusWire.INT -> frame.getInt(at);
        case BusWire.LONG -> frame.getLong(at);
        case BusWire.SHORT -> frame.getShort(at);
        case BusWire.BYTE -> frame.getByte(at);
        case BusWire.FLOAT -> frame.getFloat(at);
        case BusWire.DOUBLE -> frame.getDouble(at);
        case BusWire.BOOLEAN -> frame.getByte(at) != 0;
        case BusWire.CHAR -> frame.getChar(at);
        default -> throw new IllegalArgumentException("the body has the unknown type " + type() + "; the peer may have a later "
          + "version of vertx-rdma");
      };
    } catch (IndexOutOfBoundsException | DecodeException e) {
      throw new IllegalArgumentException("the body of type " + type() + " is damaged or incomplete", e);
    }
  }

  public Object ownBody() {
    return type() == BusWire.BUFFER ? Buffer.buffer(bytes()) : body();
  }

  private Buffer buffer() {
    return BufferInternal.buffer(frame.slice(at, length()));
  }

  private byte[] bytes() {
    byte[] bytes = new byte[length()];
    frame.getBytes(at, bytes);
    return bytes;
  }

  /** @param vertx has the codecs of subclasses */
  public ReplyException failure(Vertx vertx) {
    if (length() < 5) {
      throw new IllegalArgumentException("the failure has " + length() + " bytes, which is too short");
    }
    int type = frame.getByte(at);
    ReplyFailure failure = type < 0 || type >= ReplyFailure.values().length ? ReplyFailure.ERROR : ReplyFailure.fromInt(type);
    String message = type() == BusWire.NULL ? null : frame.toString(at + 5, length() - 5, StandardCharsets.UTF_8);
    ReplyException plain = new ReplyException(failure, frame.getInt(at + 1), message);
    return headers == null || headers.isEmpty() ? plain : FailureCodecs.decode(vertx, headers, plain);
  }
}
