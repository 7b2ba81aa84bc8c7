package io.github.vertxrdma.provider.shm;

/**
 * The format of a record in a ring, in native byte order: length with header (4 bytes, written last, with release; 0 while there is none),
 * type and flags (4), the receiver's connection (4), immediate or status (4), then what its type has. A record begins at a multiple of 8.
 */
final class Record {
  static final int LENGTH = 0;
  static final int TYPE = 4;
  static final int TO = 8;
  static final int IMMEDIATE = 12;
  static final int HEADER = 16;
  /** The header and fields of CONNECT and ACCEPT. */
  static final int CONNECTION = 32;
  /** The header and fields of PART. */
  static final int PART_FIELDS = 24;
  /** In place of a length: nothing up to the end of the ring. */
  static final int PADDING = -1;

  /** A message: its bytes. */
  static final int SEND = 1;
  /** A part of a message that no record holds: bytes of the whole (8), its bytes. */
  static final int PART = 2;
  /** A write with immediate was done by the peer itself: its bytes (8). */
  static final int WRITTEN = 3;
  /** A write that the owner does, or a part: region (4), 4 unused, secret (8), offset (8), sequence (8), its bytes. */
  static final int WRITE = 4;
  /** A read that the owner answers: region (4), 4 unused, secret (8), offset (8), sequence (8), bytes (8). */
  static final int READ = 5;
  /** Atomics that the owner does: region (4), 4 unused, secret (8), offset (8), sequence (8), operand (8), swap (8). */
  static final int FETCH_ADD = 6;
  static final int COMPARE_SWAP = 7;
  /** Data of a read, or a part of it: sequence (8), offset in it (8), its bytes. */
  static final int DATA = 8;
  /** Result of an atomic: sequence (8), value (8). */
  static final int VALUE = 9;
  /** Writes up to this one are done: sequence (8). */
  static final int DONE = 10;
  /** An operation was refused, and the connection is over: sequence (8); the status is where an immediate would be. */
  static final int REFUSED = 11;
  /**
   * A connection that the receiver asked for: the sender's connection (4), reads in flight (4), the token of whoever asked (8), private
   * data. Where an immediate would be is the number of the listener, if it may be asked by {@link #CONNECT} the next time, or 0.
   */
  static final int ACCEPT = 12;
  /** The sender's end of the connection is over. */
  static final int BYE = 13;
  /** The sender goes on in the next ring that it sent. */
  static final int NEXT_RING = 14;
  /**
   * Asks a listener, whose number is in place of a connection's: the sender's connection (4), reads in flight (4), token (8), private data.
   */
  static final int CONNECT = 15;
  /** Rejects the connection that the receiver asked for: private data. */
  static final int REJECT = 16;
  /** The connection that the receiver asked for is to be asked for by a socket: this ring leads to no such listener. */
  static final int ASK_BY_SOCKET = 17;

  /** Flag: an immediate is there. */
  static final int HAS_IMMEDIATE = 0x100;
  /** Flag: the last part of a write. */
  static final int LAST = 0x200;
  static final int TYPE_MASK = 0xff;

  private static final int[] SMALLEST = {Integer.MAX_VALUE, 16, 24, 24, 48, 56, 64, 64, 32, 32, 24, 24, 32, 16, 16, 32, 16, 16};

  private Record() {
  }

  /** Bytes that a record of the type has at least. */
  static int smallest(int type) {
    return type < SMALLEST.length ? SMALLEST[type] : Integer.MAX_VALUE;
  }

  static int aligned(int length) {
    return length + 7 & -8;
  }
}
