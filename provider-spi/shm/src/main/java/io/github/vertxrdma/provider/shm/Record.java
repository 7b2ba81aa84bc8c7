package io.github.vertxrdma.provider.shm;

/**
 * Format of a record in a ring, in native byte order, aligned to 8 bytes: length with the header (4 bytes, written last, with release; 0
 * while there is no record), type and flags (4), receiver's connection (4), immediate or status (4), fields of the type.
 */
final class Record {
  static final int LENGTH = 0;
  static final int TYPE = 4;
  static final int TO = 8;
  static final int IMMEDIATE = 12;
  static final int HEADER = 16;
  static final int CONNECTION = 32;
  static final int PART_FIELDS = 24;
  /** Value instead of a length: the rest of the ring is empty. */
  static final int PADDING = -1;

  /** A whole message: its bytes. */
  static final int SEND = 1;
  /** A part of a message: length of the whole message (8 bytes), bytes of the part. */
  static final int PART = 2;
  /** The sender has executed a write with immediate in the receiver's memory: number of bytes (8). */
  static final int WRITTEN = 3;
  /** A write, or a part of one, for the receiver to execute: region (4), 4 unused, secret (8), offset (8), sequence number (8), data. */
  static final int WRITE = 4;
  /** A read for the receiver to answer: region (4), 4 unused, secret (8), offset (8), sequence number (8), bytes (8). */
  static final int READ = 5;
  /** An atomic for the receiver to execute: region (4), 4 unused, secret (8), offset (8), sequence number (8), operand (8), swap (8). */
  static final int FETCH_ADD = 6;
  static final int COMPARE_SWAP = 7;
  /** Data of a read: sequence number (8), offset in the read (8), data. */
  static final int DATA = 8;
  /** Result of an atomic: sequence number (8), value (8). */
  static final int VALUE = 9;
  /** All writes up to a sequence number (8) have completed. */
  static final int DONE = 10;
  /** An operation was refused, and the connection ends: sequence number (8). The immediate is the status. */
  static final int REFUSED = 11;
  /**
   * Accepts a connection: the sender's connection (4), maximum reads in flight (4), the connector's token (8), private data. The immediate
   * is the listener's number for {@link #CONNECT}, or 0.
   */
  static final int ACCEPT = 12;
  /** The sender has closed its end of the connection. */
  static final int BYE = 13;
  /** The sender's next record is in its next ring, whose file it sends over the socket. */
  static final int NEXT_RING = 14;
  /**
   * Requests a connection: sender's connection (4), maximum reads in flight (4), token (8), private data. The header has the listener's
   * number instead of a connection's.
   */
  static final int CONNECT = 15;
  /** Rejects a connection: private data. */
  static final int REJECT = 16;
  /** Answers a {@link #CONNECT} that must be repeated over a socket. */
  static final int ASK_BY_SOCKET = 17;

  static final int HAS_IMMEDIATE = 0x100;
  static final int LAST = 0x200;
  static final int TYPE_MASK = 0xff;

  private static final int[] SMALLEST = {Integer.MAX_VALUE, 16, 24, 24, 48, 56, 64, 64, 32, 32, 24, 24, 32, 16, 16, 32, 16, 16};

  private Record() {
  }

  static int smallest(int type) {
    return type < SMALLEST.length ? SMALLEST[type] : Integer.MAX_VALUE;
  }
}
