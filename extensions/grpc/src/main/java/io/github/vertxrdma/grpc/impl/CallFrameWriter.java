package io.github.vertxrdma.grpc.impl;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Map;

/** Encodes frames. Short frames reuse one buffer. Long messages are appended without a copy. */
final class CallFrameWriter {
  static final int HEAD = 1;
  static final int BODY = 2;
  static final int END = 4;
  static final int COMPRESSED = 8;
  /** Bytes of a message from which a composite buffer costs less than a copy. */
  static final int LONG = 16 << 10;
  private static final int LONGEST_TEXT = 0xffff;
  /** Initial capacity of the reused buffer, which has room for a message of half this size. */
  private static final int SHORT = 512;
  /** Largest capacity of a buffer that is kept for reuse. */
  private static final int MOST_KEPT = 8 * SHORT;
  /** Space that is reserved in front of longer messages. */
  private static final int FRONT = 128;

  private Buffer spare;
  private int metadataBytes;

  static int flagsOf(FrameType type) {
    return switch (type) {
      case CALL -> BODY | END | COMPRESSED;
      case DATA -> HEAD | BODY | END | COMPRESSED;
      case STATUS -> HEAD | BODY | COMPRESSED;
      default -> 0;
    };
  }

  /** Returns a frame. @throws UnsentException if a text is too long, or metadata have no name */
  Buffer bytes(CallFrame frame) {
    return append(front(frame), frame.body());
  }

  /** Returns the part of a frame before its message, with room for a short message. */
  Buffer front(CallFrame frame) {
    metadataBytes = 0;
    Buffer to = empty(frame.body());
    switch (frame) {
      case CallFrame.Settings s -> header(to, s.type(), 0, CallFrame.NO_CALL).appendShort((short) s.versions().word())
        .appendInt(s.maxMessage()).appendInt(s.maxMetadata()).appendInt(s.maxCalls()).appendInt(s.window());
      case CallFrame.Call c -> {
        header(to, c.type(), flags(null, c.body(), c.end()), c.call()).appendLong(c.timeoutNanos());
        text(to, c.path());
        head(to, c.head());
      }
      case CallFrame.Data d -> head(header(to, d.type(), flags(d.head(), d.body(), d.end()), d.call()), d.head());
      case CallFrame.Status s -> {
        head(header(to, s.type(), flags(s.head(), s.body(), false), s.call()), s.head());
        text(to.appendByte((byte) s.code()), cut(s.message()));
        metadata(to, s.trailers());
      }
      case CallFrame.Cancel c -> header(to, c.type(), 0, c.call()).appendByte((byte) c.code());
      case CallFrame.Credit c -> header(to, c.type(), 0, c.call()).appendInt(c.messages());
      case CallFrame.GoAway g -> text(header(to, g.type(), 0, g.last()), cut(g.reason()));
    }
    return to;
  }

  /** Returns the bytes of metadata in the last frame. */
  int metadataBytes() {
    return metadataBytes;
  }

  /** Keeps the buffer of a written frame for reuse. */
  void sent(Buffer bytes) {
    ByteBuf sent = ((BufferInternal) bytes).unwrap();
    if (sent.capacity() >= SHORT && sent.capacity() <= MOST_KEPT) {
      sent.clear();
      spare = bytes;
    }
  }

  private Buffer empty(CallFrame.Body body) {
    int length = body == null ? 0 : body.length();
    if (length > SHORT / 2 && length < LONG) {
      return Buffer.buffer(FRONT + length);
    }
    Buffer empty = spare == null ? Buffer.buffer(SHORT) : spare;
    spare = null;
    return empty;
  }

  private static Buffer header(Buffer to, FrameType type, int flags, int call) {
    return to.appendByte((byte) type.code).appendByte((byte) flags).appendShort((short) 0).appendInt(call);
  }

  private static int flags(CallFrame.Head head, CallFrame.Body body, boolean end) {
    return (head == null ? 0 : HEAD) | (end ? END : 0) | (body == null ? 0 : body.compressed() ? BODY | COMPRESSED : BODY);
  }

  /** Returns the front of a frame with its message. */
  static Buffer append(Buffer to, CallFrame.Body body) {
    if (body == null) {
      return to;
    }
    boolean isLong = body.length() >= LONG;
    if (body.outgoing() != null) {
      Buffer all = isLong ? Buffer.buffer(to.length() + body.length()).appendBuffer(to) : to;
      body.outgoing().writeTo(all);
      return all;
    }
    return isLong ? BufferInternal
      .buffer(Unpooled.wrappedBuffer(((BufferInternal) to).getByteBuf(), ((BufferInternal) body.bytes()).getByteBuf()))
      : to.appendBuffer(body.bytes());
  }

  private void head(Buffer to, CallFrame.Head head) {
    if (head != null) {
      metadata(to.appendByte((byte) head.encoding()).appendByte((byte) (head.json() ? 1 : 0)), head.metadata());
    }
  }

  private void metadata(Buffer to, MultiMap metadata) {
    int at = to.length() + Integer.BYTES;
    to.appendInt(0);
    if (metadata != null && !metadata.isEmpty()) {
      for (Map.Entry<String, String> entry : metadata) {
        if (entry.getKey().isEmpty()) {
          throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED, "an entry of the metadata has no name");
        }
        text(to, entry.getKey());
        text(to, entry.getValue());
      }
      to.setInt(at - Integer.BYTES, to.length() - at);
      metadataBytes += to.length() - at;
    }
  }

  private static void text(Buffer to, String text) {
    int bytes = ByteBufUtil.utf8Bytes(text);
    if (bytes > LONGEST_TEXT) {
      throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED,
        "a text of " + bytes + " bytes is too long: use at most " + LONGEST_TEXT + ", or send it as a message");
    }
    ByteBufUtil.reserveAndWriteUtf8(((BufferInternal) to.appendUnsignedShort(bytes)).unwrap(), text, bytes);
  }

  private static String cut(String words) {
    return words == null ? "" : words.length() > LONGEST_TEXT / 4 ? words.substring(0, LONGEST_TEXT / 4) : words;
  }
}
