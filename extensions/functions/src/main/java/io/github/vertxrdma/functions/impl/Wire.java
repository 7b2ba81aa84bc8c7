package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Protocol of remote functions, little endian. A notified write into a worker's input region, or a message {@link #CALL}, contains one or
 * more calls:
 *
 * <pre>
 *   0 secret of the lease   8 invocation id   16 function id   20 length of the arguments
 *  24 offset of the result   32 maximum bytes of the result   36 remaining milliseconds, 0 for no limit
 *  40 window for parts in bytes, 0 for none   44 length of the trace headers at the start of the arguments
 *  48 arguments, padded to 8 bytes
 * </pre>
 *
 * A notified write into the client's region, with the invocation id as its tag, or a message {@link #RESULT}, contains one result:
 *
 * <pre>
 *   0 invocation id   8 status: 0, or 1 + the reason   12 length   16 nanoseconds for which the function ran
 *  24 number of parts   32 result, or text
 * </pre>
 *
 * An invocation id is a call number, which grows, and the slot in the lowest 6 bits.
 */
final class Wire {
  static final VersionRange VERSIONS = new VersionRange(1, 1);
  static final int CALL_HEADER = 48;
  static final int RESULT_HEADER = 32;
  static final int PART_HEADER = 9;
  /** Minimum bytes for a result, so that the text of a failure fits. */
  static final int MIN_RESULT_BYTES = 256;
  static final int SLOT_BITS = 6;
  static final int MAX_SLOTS = 1 << SLOT_BITS;
  static final int MAX_JSON = 1 << 20;
  static final int MAX_WORDS = 1024;

  /** Client message: id and secret of the lease. */
  static final byte HELLO = 1;
  /** Client message: invocation id. */
  static final byte CANCEL = 2;
  /** Worker message: invocation id, reason, text. */
  static final byte REFUSED = 3;
  /** Worker message: reason, text. */
  static final byte ENDED = 4;
  /** Worker message: ordinal of its {@code WorkerMode}. */
  static final byte MODE = 5;
  /** Worker message: invocation id, part of the result. */
  static final byte PART = 6;
  /** Client message: invocation id, number of read bytes of parts. */
  static final byte READ = 7;
  static final byte CALL = 8;
  static final byte RESULT = 9;

  private static final Reason[] REASONS = Reason.values();

  private Wire() {
  }

  static Buffer copy(MemorySegment memory, long at, int length) {
    byte[] bytes = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, bytes, 0, length);
    return Buffer.buffer(bytes);
  }

  static int padded(int length) {
    return length + 7 & ~7;
  }

  static int slot(long id) {
    return (int) id & MAX_SLOTS - 1;
  }

  static Reason reason(int ordinal) {
    return ordinal >= 0 && ordinal < REASONS.length ? REASONS[ordinal] : Reason.PROTOCOL;
  }

  /** Returns a reason by name; {@code PROTOCOL} for unknown names. */
  static Reason reason(String name) {
    return Arrays.stream(REASONS).filter(reason -> reason.name().equals(name)).findFirst().orElse(Reason.PROTOCOL);
  }

  static Buffer hello(long lease, long secret) {
    return Buffer.buffer(17).appendByte(HELLO).appendLongLE(lease).appendLongLE(secret);
  }

  static Buffer cancel(long id) {
    return Buffer.buffer(9).appendByte(CANCEL).appendLongLE(id);
  }

  static Buffer part(long id, Buffer part) {
    return Buffer.buffer(PART_HEADER + part.length()).appendByte(PART).appendLongLE(id).appendBuffer(part);
  }

  static Buffer read(long id, long bytes) {
    return Buffer.buffer(17).appendByte(READ).appendLongLE(id).appendLongLE(bytes);
  }

  static Buffer refused(long id, Reason reason, String words) {
    return Buffer.buffer().appendByte(REFUSED).appendLongLE(id).appendByte((byte) reason.ordinal()).appendBytes(bytes(words));
  }

  static Buffer ended(Reason reason, String words) {
    return Buffer.buffer().appendByte(ENDED).appendByte((byte) reason.ordinal()).appendBytes(bytes(words));
  }

  static String words(Buffer message, int from) {
    return PeerText.of(message.getString(from, Math.min(message.length(), from + MAX_WORDS)));
  }

  static String cut(String words) {
    return PeerText.of(words, MAX_WORDS);
  }

  static JsonObject json(Buffer message) {
    if (message.length() > MAX_JSON) {
      throw new IllegalArgumentException("it is longer than " + MAX_JSON + " bytes");
    }
    return message.toJsonObject();
  }

  static byte[] bytes(String words) {
    return words.getBytes(StandardCharsets.UTF_8);
  }

  static String words(Throwable failure) {
    return cut(failure.getMessage() == null ? failure.toString() : failure.getMessage());
  }

  static int choose(VersionRange peer) {
    int version = VERSIONS.common(peer);
    if (version == 0) {
      throw new FunctionException(Reason.PROTOCOL,
        "cannot make a lease: " + VERSIONS.refusal("the peer", "the protocol of functions", peer));
    }
    return version;
  }
}
