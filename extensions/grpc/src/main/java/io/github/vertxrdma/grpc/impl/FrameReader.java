package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.base.VersionRange;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/** Decodes frames. Messages are views of the frames' bytes. */
final class FrameReader {
  private static final int LONGEST_KEPT = 255;

  private final int maxMetadata;
  private Buffer bytes;
  private boolean registered;
  private int at;
  private String path = "";

  FrameReader(int maxMetadata) {
    this.maxMetadata = maxMetadata;
  }

  /** @param inRegistered true if the frame is in registered memory; false if it is on the heap */
  CallFrame frame(Buffer of, boolean inRegistered) {
    bytes = of;
    registered = inRegistered;
    at = 0;
    try {
      return frame();
    } finally {
      bytes = null;
    }
  }

  private CallFrame frame() {
    int code = u8();
    FrameType type = FrameType.of(code);
    if (type == null) {
      throw new FrameException("frame of unknown type " + code);
    }
    int flags = u8();
    if (u16() != 0) {
      throw new FrameException(type + " with reserved bits that are not 0");
    }
    int call = i32();
    boolean connection = type == FrameType.SETTINGS || type == FrameType.GOAWAY;
    if (flags != (flags & CallFrameWriter.flagsOf(type)) || (call < 0 || call == 0 && !connection)) {
      throw new FrameException(type + " of call " + call + " with invalid flags, " + flags);
    }
    return switch (type) {
      case SETTINGS -> new CallFrame.Settings(VersionRange.of(u16()), atLeast(1), atLeast(1), atLeast(0), atLeast(1));
      case CALL -> new CallFrame.Call(call, timeout(), path(), head(), body(flags), has(flags, CallFrameWriter.END));
      case DATA -> new CallFrame.Data(call, has(flags, CallFrameWriter.HEAD) ? head() : null, body(flags), has(flags, CallFrameWriter.END));
      case STATUS -> new CallFrame.Status(call, has(flags, CallFrameWriter.HEAD) ? head() : null, u8(), text(), metadata(), body(flags));
      case CANCEL -> whole(new CallFrame.Cancel(call, u8()));
      case CREDIT -> whole(new CallFrame.Credit(call, atLeast(1)));
      case GOAWAY -> whole(new CallFrame.GoAway(call, text()));
    };
  }

  private static boolean has(int flags, int flag) {
    return (flags & flag) != 0;
  }

  private <F extends CallFrame> F whole(F frame) {
    if (at != bytes.length()) {
      throw new FrameException(frame.type() + " with " + (bytes.length() - at) + " bytes too many");
    }
    return frame;
  }

  private CallFrame.Body body(int flags) {
    if (has(flags, CallFrameWriter.BODY)) {
      return new CallFrame.Body(bytes.slice(at, bytes.length()), null, has(flags, CallFrameWriter.COMPRESSED), registered);
    }
    if (at != bytes.length() || has(flags, CallFrameWriter.COMPRESSED)) {
      throw new FrameException("frame with bytes of a message, but without the flag BODY");
    }
    return null;
  }

  private CallFrame.Head head() {
    int encoding = u8();
    int format = u8();
    if (format > 1) {
      throw new FrameException("metadata of unknown format " + format);
    }
    return CallFrame.Head.of(encoding, format == 1, metadata());
  }

  private MultiMap metadata() {
    int length = i32();
    if (length < 0 || length > bytes.length() - at) {
      throw new FrameException("metadata of " + length + " bytes, but only " + (bytes.length() - at) + " are left");
    }
    if (length > maxMetadata) {
      at += length;
      return null;
    }
    if (length == 0) {
      return CallFrame.NO_METADATA;
    }
    MultiMap metadata = MultiMap.caseInsensitiveMultiMap();
    for (int end = at + length; at < end;) {
      String name = text();
      String value = text();
      if (at > end || name.isEmpty()) {
        throw new FrameException("metadata that end too early, or have no name");
      }
      metadata.add(name, value);
    }
    return metadata;
  }

  private String path() {
    int length = bytes.length() - at < Short.BYTES ? 0 : bytes.getUnsignedShort(at);
    if (length == path.length() && length <= bytes.length() - at - Short.BYTES && isPath(at + Short.BYTES)) {
      at += Short.BYTES + length;
      return path;
    }
    String other = text();
    if (other.length() <= LONGEST_KEPT) {
      path = other;
    }
    return other;
  }

  /** Returns whether the bytes equal {@link #path}. A path that is not ASCII never matches. */
  private boolean isPath(int from) {
    for (int i = 0; i < path.length(); i++) {
      if (bytes.getByte(from + i) != path.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private String text() {
    int length = u16();
    require(length);
    String text = length == 0 ? "" : bytes.getString(at, at + length, StandardCharsets.UTF_8.name());
    at += length;
    return text;
  }

  private long timeout() {
    require(Long.BYTES);
    long timeout = bytes.getLong(at);
    at += Long.BYTES;
    if (timeout < 0) {
      throw new FrameException("invalid timeout of " + timeout + " ns");
    }
    return timeout;
  }

  private int atLeast(int least) {
    int value = i32();
    if (value < least) {
      throw new FrameException("number " + value + ", but at least " + least + " is required");
    }
    return value;
  }

  private int u8() {
    require(1);
    return bytes.getUnsignedByte(at++);
  }

  private int u16() {
    require(Short.BYTES);
    at += Short.BYTES;
    return bytes.getUnsignedShort(at - Short.BYTES);
  }

  private int i32() {
    require(Integer.BYTES);
    at += Integer.BYTES;
    return bytes.getInt(at - Integer.BYTES);
  }

  private void require(int length) {
    if (length > bytes.length() - at) {
      throw new FrameException("frame that ends too early, after " + bytes.length() + " bytes");
    }
  }
}
