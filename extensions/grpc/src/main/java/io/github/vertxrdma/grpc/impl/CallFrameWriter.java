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
  static final int HEADER = 8;
  /** Bytes of a message from which a composite buffer costs less than a copy. */
  static final int LONG = 16 << 10;
  private static final int LONGEST_TEXT = 0xffff;
  private static final int SHORT = 256;

  private Buffer spare;

  static int flagsOf(FrameType type) {
    return switch (type) {
      case CALL -> BODY | END | COMPRESSED;
      case DATA -> HEAD | BODY | END | COMPRESSED;
      case STATUS -> HEAD | BODY | COMPRESSED;
      default -> 0;
    };
  }

  static long size(CallFrame frame) {
    CallFrame.Body body = frame.body();
    return front(frame) + (body == null ? 0 : body.length());
  }

  private static long front(CallFrame frame) {
    return HEADER + switch (frame) {
      case CallFrame.Settings s -> 18;
      case CallFrame.Call c -> Long.BYTES + size(c.path()) + size(c.head());
      case CallFrame.Data d -> size(d.head());
      case CallFrame.Status s -> size(s.head()) + 1 + size(cut(s.message())) + Integer.BYTES + size(s.trailers());
      case CallFrame.Cancel c -> 1;
      case CallFrame.Credit c -> Integer.BYTES;
      case CallFrame.GoAway g -> size(cut(g.reason()));
    };
  }

  Buffer bytes(CallFrame frame) {
    return append(empty((int) (isApart(frame.body()) ? front(frame) : size(frame))), frame);
  }

  static Buffer append(Buffer to, CallFrame frame) {
    return append(switch (frame) {
      case CallFrame.Settings s -> header(to, s.type(), 0, CallFrame.NO_CALL).appendShort((short) s.versions().word())
        .appendInt(s.maxMessage()).appendInt(s.maxMetadata()).appendInt(s.maxCalls()).appendInt(s.window());
      case CallFrame.Call c ->
        append(text(header(to, c.type(), flags(null, c.body(), c.end()), c.call()).appendLong(c.timeoutNanos()), c.path()),
          c.head());
      case CallFrame.Data d -> append(header(to, d.type(), flags(d.head(), d.body(), d.end()), d.call()), d.head());
      case CallFrame.Status s -> metadata(text(append(header(to, s.type(), flags(s.head(), s.body(), false), s.call()), s.head())
        .appendByte((byte) s.code()), cut(s.message())), s.trailers());
      case CallFrame.Cancel c -> header(to, c.type(), 0, c.call()).appendByte((byte) c.code());
      case CallFrame.Credit c -> header(to, c.type(), 0, c.call()).appendInt(c.messages());
      case CallFrame.GoAway g -> text(header(to, g.type(), 0, g.last()), cut(g.reason()));
    }, frame.body());
  }

  /** Keeps the buffer of a written frame for reuse. */
  void sent(Buffer bytes) {
    ByteBuf sent = ((BufferInternal) bytes).unwrap();
    if (sent.capacity() == SHORT) {
      sent.clear();
      spare = bytes;
    }
  }

  private static Buffer header(Buffer to, FrameType type, int flags, int call) {
    return to.appendByte((byte) type.code).appendByte((byte) flags).appendShort((short) 0).appendInt(call);
  }

  private Buffer empty(int size) {
    if (size > SHORT) {
      return Buffer.buffer(size);
    }
    Buffer empty = spare == null ? Buffer.buffer(SHORT) : spare;
    spare = null;
    return empty;
  }

  private static int flags(CallFrame.Head head, CallFrame.Body body, boolean end) {
    return (head == null ? 0 : HEAD) | (end ? END : 0) | (body == null ? 0 : body.compressed() ? BODY | COMPRESSED : BODY);
  }

  private static boolean isApart(CallFrame.Body body) {
    return body != null && body.outgoing() == null && body.bytes().length() >= LONG;
  }

  private static Buffer append(Buffer to, CallFrame.Body body) {
    if (isApart(body)) {
      return BufferInternal
        .buffer(Unpooled.wrappedBuffer(((BufferInternal) to).getByteBuf(), ((BufferInternal) body.bytes()).getByteBuf()));
    }
    if (body != null && body.outgoing() != null) {
      body.outgoing().writeTo(to);
      return to;
    }
    return body == null ? to : to.appendBuffer(body.bytes());
  }

  private static int size(CallFrame.Head head) {
    return head == null ? 0 : 2 + Integer.BYTES + size(head.metadata());
  }

  private static Buffer append(Buffer to, CallFrame.Head head) {
    return head == null ? to : metadata(to.appendByte((byte) head.encoding()).appendByte((byte) (head.json() ? 1 : 0)), head.metadata());
  }

  static int size(MultiMap metadata) {
    int size = 0;
    if (metadata != null && !metadata.isEmpty()) {
      for (Map.Entry<String, String> entry : metadata) {
        if (entry.getKey().isEmpty()) {
          throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED, "an entry of the metadata has no name");
        }
        size += size(entry.getKey()) + size(entry.getValue());
      }
    }
    return size;
  }

  private static Buffer metadata(Buffer to, MultiMap metadata) {
    int at = to.length();
    to.appendInt(0);
    if (metadata != null && !metadata.isEmpty()) {
      for (Map.Entry<String, String> entry : metadata) {
        text(text(to, entry.getKey()), entry.getValue());
      }
      to.setInt(at, to.length() - at - Integer.BYTES);
    }
    return to;
  }

  private static int size(String text) {
    int bytes = ByteBufUtil.utf8Bytes(text);
    if (bytes > LONGEST_TEXT) {
      throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED,
        "a text of " + bytes + " bytes is too long: use at most " + LONGEST_TEXT + ", or send it as a message");
    }
    return Short.BYTES + bytes;
  }

  private static Buffer text(Buffer to, String text) {
    int bytes = size(text) - Short.BYTES;
    // Reserves the exact number of bytes, because registered memory has the size of the frame and cannot grow.
    ByteBufUtil.reserveAndWriteUtf8(((BufferInternal) to.appendUnsignedShort(bytes)).unwrap(), text, bytes);
    return to;
  }

  private static String cut(String words) {
    return words == null ? "" : words.length() > LONGEST_TEXT / 4 ? words.substring(0, LONGEST_TEXT / 4) : words;
  }
}
