package io.github.vertxrdma.impl.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Header of every message between two links: 32 bytes, little endian, directly after the provider's message prefix.
 *
 * <pre>
 *  0  type              1 byte
 *  1  flags             1 byte
 *  2  data credits      2 bytes   given back to the receiver of this frame
 *  4  control credits   2 bytes
 *  6  format            2 bytes   of the header
 *  8  sequence          4 bytes
 * 12  payload length    4 bytes
 * 16  a                 8 bytes   meaning by type
 * 24  b                 8 bytes   meaning by type
 * </pre>
 */
public final class Frame {
  /** Bytes of a header. */
  public static final int SIZE = 32;
  /** Layout of the header; the version of the protocol is agreed on before, see {@link LinkVersions}. */
  public static final int FORMAT = 1;

  /** Connector's first frame but {@link #REQUEST}: its proof, node and parameters; or flag {@link #REFUSED} and a reason. */
  public static final int HELLO = 1;
  /** Acceptor's answer: its parameters; or flag {@link #REFUSED} and a reason, a = its kind. */
  public static final int WELCOME = 2;
  /** Credits alone. */
  public static final int CREDIT = 3;
  /** Eager message: a whole one, with {@link #COALESCED} several, or with {@link #SEGMENT} a piece of one; a data credit. */
  public static final int DATA = 4;
  /**
   * Rendezvous, "ready to send": a piece of a message for the receiver to read; a data credit. a = message size and the piece's offset,
   * b = slab and offset in it; the length is the piece's, whose bytes do not follow.
   */
  public static final int RTS = 5;
  /** Rendezvous, "acknowledged to sender": pieces were read and may be overwritten; payload: 8 bytes each, as b of {@link #RTS}. */
  public static final int ATS = 6;
  /** Key of a slab that {@link #RTS} will name: a = slab, b = bytes; payload: 8 bytes address, then the key. Forgotten where b = 0. */
  public static final int RKEY = 7;
  /** End of this side's messages, after all of them. */
  public static final int END = 8;
  /** All messages before END were delivered. */
  public static final int END_ACK = 9;
  /** Wish to close; everything of this side came before. */
  public static final int CLOSE = 10;
  /** The receiver of CLOSE has all of it. */
  public static final int CLOSE_ACK = 11;
  /** Question for a sign of life. */
  public static final int PING = 12;
  /** Answer to a {@link #PING}, one for each, in their order. */
  public static final int PONG = 13;
  /** The sender can wake the receiver's loop. */
  public static final int WAKEABLE = 14;
  /** Private data of a connection request, where the fabric carries none: the connector's, before its {@link #HELLO}. */
  public static final int REQUEST = 15;
  /** Private data of the accept, likewise: the acceptor's answer to {@link #REQUEST}. */
  public static final int ACCEPT = 16;
  /** First type of the region service, {@link RegionFrames}. */
  public static final int REGION_BASE = 32;
  /** Types that the region service has. */
  public static final int REGION_TYPES = 12;

  /** Flag of {@link #WELCOME} and {@link #HELLO}: refused, the payload is the reason. */
  public static final int REFUSED = 1;
  /** Flag of {@link #DATA}: the payload is messages, 4 bytes of length before each. */
  public static final int COALESCED = 1;
  /** Flag of {@link #DATA}: the payload is a piece of a message, in order. a = message size and the piece's offset, as in {@link #RTS}. */
  public static final int SEGMENT = 2;
  /** Bytes before each message of a {@link #COALESCED} frame. */
  public static final int LENGTH = 4;
  /** Bytes of the name of a piece in ATS. */
  public static final int NAME = 8;
  /** Most that a frame gives back of each kind of credit. */
  public static final int MOST_CREDITS = 0xffff;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final String[] NAMES = {null, "HELLO", "WELCOME", "CREDIT", "DATA", "RTS", "ATS", "RKEY", "END", "END_ACK", "CLOSE",
    "CLOSE_ACK", "PING", "PONG", "WAKEABLE", "REQUEST", "ACCEPT"};

  private Frame() {
  }

  /** Bytes of payload that fit {@code size} bytes behind a provider's message prefix and the header; negative if not even these do. */
  public static int room(int size, int prefix) {
    return size - prefix - SIZE;
  }

  /** True for frames that cost a data credit; all others cost a control credit. */
  public static boolean isData(int type) {
    return type == DATA || type == RTS;
  }

  /** Set of types as bits, for {@link #isIn}. */
  public static long set(int... types) {
    long set = 0;
    for (int type : types) {
      set |= 1L << type;
    }
    return set;
  }

  /** True if a type, of any value that a byte can have, is one of a set. */
  public static boolean isIn(long set, int type) {
    return type < Long.SIZE && (set >>> type & 1) != 0;
  }

  /** Writes a header. */
  public static void encode(MemorySegment m, long at, int type, int flags, int dataCredits, int controlCredits, int sequence, int length,
    long a, long b) {
    m.set(LONG, at, type & 0xffL | (flags & 0xffL) << 8 | (dataCredits & 0xffffL) << 16 | (controlCredits & 0xffffL) << 32
      | (long) FORMAT << 48);
    m.set(LONG, at + 8, sequence & 0xffff_ffffL | (long) length << 32);
    m.set(LONG, at + 16, a);
    m.set(LONG, at + 24, b);
  }

  /** First word: type, flags, credits and format. */
  public static long first(MemorySegment m, long at) {
    return m.get(LONG, at);
  }

  /** Second word: sequence and length. */
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

  /** Size of a message and the offset of a piece of it as one word. */
  public static long piece(int size, int offset) {
    return (long) size << 32 | offset;
  }

  /** Size of the message, of a word of {@link #piece}. */
  public static int pieceSize(long piece) {
    return (int) (piece >>> 32);
  }

  /** Offset of the piece, of a word of {@link #piece}. */
  public static int pieceOffset(long piece) {
    return (int) piece;
  }

  /** Writes the length of one message of a {@link #COALESCED} frame. */
  public static void putLength(MemorySegment m, long at, int length) {
    m.set(INT, at, length);
  }

  /** Length of one message of a {@link #COALESCED} frame. */
  public static int length(MemorySegment m, long at) {
    return m.get(INT, at);
  }

  /** Eight bytes of a payload. */
  public static long word(MemorySegment m, long at) {
    return m.get(LONG, at);
  }

  /** Puts eight bytes into a payload. */
  public static void putWord(MemorySegment m, long at, long value) {
    m.set(LONG, at, value);
  }

  /** Name of a type, for messages. */
  public static String name(int type) {
    if (type > 0 && type < NAMES.length) {
      return NAMES[type];
    }
    return type >= REGION_BASE ? RegionFrames.name(type) : "frame " + type;
  }
}
