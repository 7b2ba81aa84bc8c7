package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Header of every frame: 32 bytes, little-endian, directly after the provider's message prefix. docs/protocol.adoc describes the frames.
 *
 * <pre>
 *  0  type              1 byte
 *  1  flags             1 byte
 *  2  data credits      2 bytes   returned to the receiver
 *  4  control credits   2 bytes
 *  6  format            2 bytes
 *  8  sequence          4 bytes
 * 12  payload length    4 bytes
 * 16  a                 8 bytes   by type
 * 24  b                 8 bytes   by type
 * </pre>
 */
public final class Frame {
  public static final int SIZE = 32;
  public static final int FORMAT = 1;

  /** Greeting of the connector. With flag {@link #REFUSED}: a reason as text. Field a: number of the reason. */
  public static final int HELLO = 1;
  /** Greeting of the acceptor. Fields a and b: nonce. With flag {@link #REFUSED}: as for {@link #HELLO}. */
  public static final int WELCOME = 2;
  public static final int CREDIT = 3;
  /** Carries several messages, one message, or a segment of a message, by flag. */
  public static final int DATA = 4;
  /**
   * "Ready to send": announces a piece of a message, which the receiver reads remotely. Field a: size of the message, offset of the piece.
   * Field b: slab (registered memory), offset there. Length: size of the piece.
   */
  public static final int RTS = 5;
  /** "Acknowledged to sender": the pieces were read. Payload: field b of each {@link #RTS}. */
  public static final int ATS = 6;
  /**
   * Remote key of a slab (registered memory). Field a: slab number. Field b: size in bytes, or 0 to withdraw the key. Payload: address (8
   * bytes), key.
   */
  public static final int RKEY = 7;
  /** Sent after the last message of this side. */
  public static final int END = 8;
  /** Reply to {@link #END} when all messages are delivered. */
  public static final int END_ACK = 9;
  /** Requests the close, after the peer has received all messages and read those announced by {@link #RTS}. */
  public static final int CLOSE = 10;
  /** Reply to {@link #CLOSE} when all messages are delivered. */
  public static final int CLOSE_ACK = 11;
  public static final int PING = 12;
  /** Reply to {@link #PING}, in order. */
  public static final int PONG = 13;
  /** The sender of this frame can wake the receiver's event loop. */
  public static final int WAKEABLE = 14;
  /** Contains the {@link ConnectRequest} if no connection manager connects the endpoints. */
  public static final int REQUEST = 15;
  /** As {@link #REQUEST}, with the {@link ConnectAccept}. */
  public static final int ACCEPT = 16;
  public static final int REGION_BASE = 32;
  public static final int REGION_TYPES = 12;

  public static final int REFUSED = 1;
  /** Flag of {@link #DATA}: several messages, each after its length (4 bytes). */
  public static final int COALESCED = 1;
  /** Flag of {@link #DATA}: a segment of a message. Field a: size of the message, offset of the segment. */
  public static final int SEGMENT = 2;
  public static final int LENGTH = 4;
  public static final int NAME = 8;
  public static final int MOST_CREDITS = 0xffff;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final String[] NAMES = {null, "HELLO", "WELCOME", "CREDIT", "DATA", "RTS", "ATS", "RKEY", "END", "END_ACK", "CLOSE",
    "CLOSE_ACK", "PING", "PONG", "WAKEABLE", "REQUEST", "ACCEPT"};

  private Frame() {
  }

  public static int room(int size, int prefix) {
    return size - prefix - SIZE;
  }

  public static boolean isData(int type) {
    return type == DATA || type == RTS;
  }

  public static long set(int... types) {
    long set = 0;
    for (int type : types) {
      set |= 1L << type;
    }
    return set;
  }

  public static boolean isIn(long set, int type) {
    return type < Long.SIZE && (set >>> type & 1) != 0;
  }

  public static void encode(MemorySegment m, long at, int type, int flags, int dataCredits, int controlCredits, int sequence, int length,
    long a, long b) {
    m.set(LONG, at, type & 0xffL | (flags & 0xffL) << 8 | (dataCredits & 0xffffL) << 16 | (controlCredits & 0xffffL) << 32
      | (long) FORMAT << 48);
    m.set(LONG, at + 8, sequence & 0xffff_ffffL | (long) length << 32);
    m.set(LONG, at + 16, a);
    m.set(LONG, at + 24, b);
  }

  public static long first(MemorySegment m, long at) {
    return m.get(LONG, at);
  }

  public static long second(MemorySegment m, long at) {
    return m.get(LONG, at + 8);
  }

  public static int type(long first) {
    return (int) first & 0xff;
  }

  public static int flags(long first) {
    return (int) (first >> 8) & 0xff;
  }

  public static int dataCredits(long first) {
    return (int) (first >> 16) & 0xffff;
  }

  public static int controlCredits(long first) {
    return (int) (first >> 32) & 0xffff;
  }

  public static int format(long first) {
    return (int) (first >>> 48);
  }

  public static int sequence(long second) {
    return (int) second;
  }

  public static int length(long second) {
    return (int) (second >> 32);
  }

  public static long a(MemorySegment m, long at) {
    return m.get(LONG, at + 16);
  }

  public static long b(MemorySegment m, long at) {
    return m.get(LONG, at + 24);
  }

  public static long piece(int size, int offset) {
    return (long) size << 32 | offset;
  }

  public static int pieceSize(long piece) {
    return (int) (piece >>> 32);
  }

  public static int pieceOffset(long piece) {
    return (int) piece;
  }

  public static void putLength(MemorySegment m, long at, int length) {
    m.set(INT, at, length);
  }

  public static int length(MemorySegment m, long at) {
    return m.get(INT, at);
  }

  public static long word(MemorySegment m, long at) {
    return m.get(LONG, at);
  }

  public static void putWord(MemorySegment m, long at, long value) {
    m.set(LONG, at, value);
  }

  public static String name(int type) {
    if (type > 0 && type < NAMES.length) {
      return NAMES[type];
    }
    return type >= REGION_BASE ? RegionFrames.name(type) : "frame " + type;
  }
}
