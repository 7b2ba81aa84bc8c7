package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of every message between two links: 32 bytes, little endian, directly after the provider's message prefix.
 *
 * <pre>
 *  0  type              1 byte
 *  1  flags             1 byte
 *  2  data credits      2 bytes   given back to the receiver of this frame
 *  4  control credits   2 bytes
 *  6  version           2 bytes
 *  8  sequence          4 bytes
 * 12  payload length    4 bytes
 * 16  a                 8 bytes   meaning by type
 * 24  b                 8 bytes   meaning by type
 * </pre>
 */
public final class Frame {
  /** Bytes of a header. */
  public static final int SIZE = 32;
  public static final int VERSION = 1;

  /** Bytes of payload that fit {@code size} bytes behind a provider's message prefix and the header; negative if not even these do. */
  public static int room(int size, int prefix) {
    return size - prefix - SIZE;
  }

  /** Connector's first frame but {@link #REQUEST}: its proof, node and parameters, or after that flag {@link #REFUSED} and a reason. */
  public static final int HELLO = 1;
  /** Acceptor's answer: its parameters, or flag {@link #REFUSED} and a reason. */
  public static final int WELCOME = 2;
  /** Credits only. */
  public static final int CREDIT = 3;
  /** A whole message, with {@link #PACKED} several, or with {@link #PART} a part of one; a data credit. */
  public static final int DATA = 4;
  /** A part of a message to be read by the receiver; a data credit. a = message size, part's offset; b = slab, offset in it. */
  public static final int FRAGMENT = 5;
  /** Parts were read and may be reused: payload of 8-byte slab and offset pairs as in {@link #FRAGMENT}'s b. */
  public static final int FIN = 6;
  /** A slab that fragments will name: a = slab id, b = length; payload: 8 bytes address, then the key. */
  public static final int SLAB = 7;
  /** No more messages from this side; after all before it. */
  public static final int END = 8;
  public static final int END_ACK = 9;
  /** Wants to close; everything of this side came before. */
  public static final int CLOSE = 10;
  public static final int CLOSE_ACK = 11;
  public static final int PING = 12;
  public static final int PONG = 13;
  /** The sender can ring the receiver's doorbell. */
  public static final int BELL = 14;
  /** What a connection request would carry where the fabric carries it not: the connector's, before its {@link #HELLO}. */
  public static final int REQUEST = 15;
  /** Likewise the accept: the acceptor's answer to {@link #REQUEST}. */
  public static final int ACCEPT = 16;
  /** From here on frames belong to the region service. */
  public static final int REGION_BASE = 32;

  /** Flag of {@link #WELCOME} and {@link #HELLO}: refused, the payload is the reason. */
  public static final int REFUSED = 1;

  /** Flag of {@link #DATA}: the payload is messages, 4 bytes of length before each. */
  static final int PACKED = 1;
  /** Flag of {@link #DATA}: the payload is a part of a message, in order. a = message size, part's offset, as in {@link #FRAGMENT}. */
  static final int PART = 2;
  /** Bytes before each message of a packed frame. */
  static final int PACKED_LENGTH = 4;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Frame() {
  }

  /** True for frames that cost a data credit; all others cost a control credit. */
  static boolean isData(int type) {
    return type == DATA || type == FRAGMENT;
  }

  static void encode(MemorySegment m, long at, int type, int flags, int dataCredits, int controlCredits, int sequence, int length, long a,
    long b) {
    m.set(LONG, at, type & 0xffL | (flags & 0xffL) << 8 | (dataCredits & 0xffffL) << 16 | (controlCredits & 0xffffL) << 32
      | (long) VERSION << 48);
    m.set(LONG, at + 8, sequence & 0xffff_ffffL | (long) length << 32);
    m.set(LONG, at + 16, a);
    m.set(LONG, at + 24, b);
  }

  /** The first word: type, flags, credits and version. */
  static long first(MemorySegment m, long at) {
    return m.get(LONG, at);
  }

  /** The second word: sequence and length. */
  static long second(MemorySegment m, long at) {
    return m.get(LONG, at + 8);
  }

  static int type(long first) {
    return (int) first & 0xff;
  }

  static int flags(long first) {
    return (int) (first >> 8) & 0xff;
  }

  static int dataCredits(long first) {
    return (int) (first >> 16) & 0xffff;
  }

  static int controlCredits(long first) {
    return (int) (first >> 32) & 0xffff;
  }

  static int version(long first) {
    return (int) (first >>> 48);
  }

  static int sequence(long second) {
    return (int) second;
  }

  static int length(long second) {
    return (int) (second >> 32);
  }

  static long a(MemorySegment m, long at) {
    return m.get(LONG, at + 16);
  }

  static long b(MemorySegment m, long at) {
    return m.get(LONG, at + 24);
  }

  /** Writes the length of a packed message. */
  static void packedLength(MemorySegment m, long at, int length) {
    m.set(INT, at, length);
  }

  static int packedLength(MemorySegment m, long at) {
    return m.get(INT, at);
  }

  /** The name of a type, for messages. */
  static String name(int type) {
    return switch (type) {
      case HELLO -> "HELLO";
      case WELCOME -> "WELCOME";
      case CREDIT -> "CREDIT";
      case DATA -> "DATA";
      case FRAGMENT -> "FRAGMENT";
      case FIN -> "FIN";
      case SLAB -> "SLAB";
      case END -> "END";
      case END_ACK -> "END_ACK";
      case CLOSE -> "CLOSE";
      case CLOSE_ACK -> "CLOSE_ACK";
      case PING -> "PING";
      case PONG -> "PONG";
      case BELL -> "BELL";
      case REQUEST -> "REQUEST";
      case ACCEPT -> "ACCEPT";
      default -> "frame " + type;
    };
  }
}
