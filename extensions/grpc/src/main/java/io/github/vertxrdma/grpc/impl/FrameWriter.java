package io.github.vertxrdma.grpc.impl;

import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes frames, each into a buffer of its size; a long message stays where it is, behind the front of its frame. */
final class FrameWriter {
  /** Flag: metadata are in front. */
  static final int HEAD = 1;
  /** Flag: a message follows. */
  static final int BODY = 2;
  /** Flag: the client has no more messages. */
  static final int END = 4;
  /** Flag: the message is compressed, in the encoding of the head. */
  static final int COMPRESSED = 8;
  static final int HEADER = 8;
  /** Bytes of a message from which on two parts of a buffer cost less than a copy. */
  static final int LONG = 16 << 10;
  private static final int LONGEST_TEXT = 0xffff;
  private static final byte[] NONE = {};

  private FrameWriter() {
  }

  /** The flags that a frame may have. */
  static int flagsOf(FrameType type) {
    return switch (type) {
      case CALL -> BODY | END | COMPRESSED;
      case DATA -> HEAD | BODY | END | COMPRESSED;
      case STATUS -> HEAD | BODY | COMPRESSED;
      default -> 0;
    };
  }

  static Buffer write(Frame frame) {
    return switch (frame) {
      case Frame.Settings s -> header(18, s.type(), 0, Frame.NO_CALL).appendByte((byte) s.highest()).appendByte((byte) s.lowest())
        .appendInt(s.maxMessage()).appendInt(s.maxMetadata()).appendInt(s.maxCalls()).appendInt(s.window());
      case Frame.Call c -> call(c);
      case Frame.Data d -> {
        Buffer to = header(size(d.head()) + size(d.body()), d.type(), flags(d.head(), d.body(), d.end()), d.call());
        yield append(append(to, d.head()), d.body());
      }
      case Frame.Status s -> status(s);
      case Frame.Cancel c -> header(1, c.type(), 0, c.call()).appendByte((byte) c.code());
      case Frame.Credit c -> header(Integer.BYTES, c.type(), 0, c.call()).appendInt(c.messages());
      case Frame.GoAway g -> {
        byte[] reason = cut(g.reason());
        yield text(header(Short.BYTES + reason.length, g.type(), 0, g.last()), reason);
      }
    };
  }

  private static Buffer call(Frame.Call c) {
    byte[] path = bytes(c.path());
    Buffer to = header(Long.BYTES + Short.BYTES + path.length + size(c.head()) + size(c.body()), c.type(), flags(null, c.body(), c.end()), c.call());
    return append(append(text(to.appendLong(c.timeoutNanos()), path), c.head()), c.body());
  }

  private static Buffer status(Frame.Status s) {
    byte[] message = cut(s.message());
    Buffer to = header(size(s.head()) + 1 + Short.BYTES + message.length + Integer.BYTES + size(s.trailers()) + size(s.body()), s.type(),
      flags(s.head(), s.body(), false), s.call());
    return append(metadata(text(append(to, s.head()).appendByte((byte) s.code()), message), s.trailers()), s.body());
  }

  private static Buffer header(int more, FrameType type, int flags, int call) {
    return Buffer.buffer(HEADER + more).appendByte((byte) type.code).appendByte((byte) flags).appendShort((short) 0).appendInt(call);
  }

  private static int flags(Frame.Head head, Frame.Body body, boolean end) {
    return (head == null ? 0 : HEAD) | (end ? END : 0) | (body == null ? 0 : body.compressed() ? BODY | COMPRESSED : BODY);
  }

  /** Bytes that are copied. */
  private static int size(Frame.Body body) {
    return body == null || body.bytes().length() >= LONG ? 0 : body.bytes().length();
  }

  private static Buffer append(Buffer to, Frame.Body body) {
    if (body == null || body.bytes().length() < LONG) {
      return body == null ? to : to.appendBuffer(body.bytes());
    }
    return BufferInternal.buffer(Unpooled.wrappedBuffer(((BufferInternal) to).getByteBuf(), ((BufferInternal) body.bytes()).getByteBuf()));
  }

  private static int size(Frame.Head head) {
    return head == null ? 0 : 2 + Integer.BYTES + size(head.metadata());
  }

  private static Buffer append(Buffer to, Frame.Head head) {
    return head == null ? to : metadata(to.appendByte((byte) head.encoding()).appendByte((byte) (head.json() ? 1 : 0)), head.metadata());
  }

  /** Bytes that metadata take. @throws IllegalArgumentException if a name or value is longer than 65,535 bytes, or a name empty */
  static int size(MultiMap metadata) {
    int size = 0;
    if (metadata != null) {
      for (Map.Entry<String, String> entry : metadata) {
        if (entry.getKey().isEmpty()) {
          throw new IllegalArgumentException("metadata without a name: each has one");
        }
        size += 2 * Short.BYTES + bytes(entry.getKey()).length + bytes(entry.getValue()).length;
      }
    }
    return size;
  }

  private static Buffer metadata(Buffer to, MultiMap metadata) {
    int at = to.length();
    to.appendInt(0);
    if (metadata != null) {
      for (Map.Entry<String, String> entry : metadata) {
        text(text(to, bytes(entry.getKey())), bytes(entry.getValue()));
      }
      to.setInt(at, to.length() - at - Integer.BYTES);
    }
    return to;
  }

  private static Buffer text(Buffer to, byte[] text) {
    return to.appendUnsignedShort(text.length).appendBytes(text);
  }

  private static byte[] bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST_TEXT) {
      throw new IllegalArgumentException("text of " + bytes.length + " bytes: at most " + LONGEST_TEXT + "; send it as a message");
    }
    return bytes;
  }

  /** Words for people lose their end rather than their call. */
  private static byte[] cut(String words) {
    return words == null ? NONE : bytes(words.length() > LONGEST_TEXT / 4 ? words.substring(0, LONGEST_TEXT / 4) : words);
  }
}
