package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.VersionRange;
import java.nio.ByteBuffer;

/**
 * Frames of a connection. The header has 56 bytes, big-endian: type (1), flags (1), zero (2), immediate or status (4), sequence (8), key
 * (8), key slot (4), zero (4), offset (8), length (8), operand (8).
 */
final class NioFrame {
  static final int HEADER = 56;
  /** Offset of the length in a header. */
  static final int LENGTH = 40;

  /**
   * First frame, from the connecting side, the same in every version. Key: {@link #MAGIC}, slot: the sender's versions ({@link
   * VersionRange#word}), offset: its reads in flight, payload: private data.
   */
  static final byte CONNECT = 1;
  /** Answer that accepts. Key: {@link #MAGIC}, slot: the chosen version, offset: the sender's reads in flight, payload: private data. */
  static final byte ACCEPT = 2;
  /**
   * Answer that rejects, with private data as payload, the same in every version. If the immediate is {@link #OTHER_VERSIONS}, the slot has
   * the sender's versions.
   */
  static final byte REJECT = 3;
  static final byte SEND = 4;
  static final byte SEND_IMMEDIATE = 5;
  /** A write, or a part of one. The last part has the flag {@link #LAST}. */
  static final byte WRITE = 6;
  static final byte WRITE_IMMEDIATE = 7;
  /** Requests a read of length bytes. Has no payload. */
  static final byte READ = 8;
  /** A part of the answer to a read. The offset counts from the start of the read. */
  static final byte READ_RESPONSE = 9;
  /** Atomic addition; the length is the number to add. */
  static final byte FETCH_ADD = 10;
  /** Atomic compare-and-swap; the length is the expected value, the operand the new one. */
  static final byte COMPARE_SWAP = 11;
  /** Answer to an atomic; the length is the old value. */
  static final byte ATOMIC_RESPONSE = 12;
  /** Acknowledges all writes up to the sequence: they are in the target's memory. */
  static final byte ACK = 13;
  /** Refuses the operation with the sequence; the immediate is its status. Later operations are not executed, and the connection ends. */
  static final byte NAK = 14;
  static final byte DISCONNECT = 15;

  static final int LAST = 1;

  static final long MAGIC = 0x7672_646d_616e_696fL; // "vrdmanio"
  static final VersionRange VERSIONS = new VersionRange(2, 2);
  static final int OTHER_VERSIONS = 1;

  private NioFrame() {
  }

  static void put(ByteBuffer out, byte type, int flags, int immediate, long sequence, long key, int slot, long offset, long length,
    long operand) {
    out.put(type).put((byte) flags).putShort((short) 0).putInt(immediate).putLong(sequence).putLong(key).putInt(slot).putInt(0)
      .putLong(offset).putLong(length).putLong(operand);
  }

  /**
   * Returns whether a {@link #DISCONNECT} is among the frames before the buffer's position.
   *
   * @param start offset of the first frame
   */
  static boolean hasGoodbye(ByteBuffer read, long start) {
    long at = start;
    // An invalid length also ends the loop.
    while (at >= 0 && at <= read.position() - HEADER) {
      byte type = read.get((int) at);
      if (type == DISCONNECT) {
        return true;
      }
      at += HEADER + (hasPayload(type) ? Math.max(0, read.getLong((int) at + LENGTH)) : 0);
    }
    return false;
  }

  static boolean hasPayload(byte type) {
    return switch (type) {
      case CONNECT, ACCEPT, REJECT, SEND, SEND_IMMEDIATE, WRITE, WRITE_IMMEDIATE, READ_RESPONSE -> true;
      default -> false;
    };
  }
}
