package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Errno;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Message over a socket: a type (4 bytes), fields in native byte order, and files. */
record Message(ByteBuffer bytes, List<AnonymousFile> files) {
  /** Bytes of a message: the fields of CONNECT and ACCEPT, 44, the private data, and room for more fields. */
  static final int MOST = ShmDevice.PRIVATE_DATA + 256;
  static final int MOST_FILES = 2;
  /** Protocol and version, at the start of what two processes say first. */
  static final long MAGIC = 0x7672_646d_6173_0003L;

  /** Asks a listener: magic (8), queue (16), connection (4), reads in flight (4), token (8), private data. */
  static final int CONNECT = 1;
  /**
   * Accepts, and makes the socket that of the two queues: magic (8), connection asked for (4), queue (16), connection (4), reads in flight
   * (4), private data; with state and ring.
   */
  static final int ACCEPT = 2;
  /** The connector's side of that: with state and ring. */
  static final int JOIN = 3;
  /** The acceptance comes through the ring that the queues have. */
  static final int ELSEWHERE = 4;
  /** Rejects: private data. */
  static final int REJECT = 5;
  /** Wakes a queue that said that it sleeps. */
  static final int WAKE = 6;
  /** The next ring, to which the ring leads; with it. */
  static final int RING = 7;
  /** Asks for the file of a region: region (4), secret (8). */
  static final int OPEN = 8;
  /** The region's file: region (4), secret (8), offset (8), bytes (8), rights (4), offset of its mark (8), mark (8); with it. */
  static final int OPENED = 9;
  /** There is no such region to be mapped: region (4), secret (8). */
  static final int NOT_OPENED = 10;

  static Message of(int type, AnonymousFile... files) {
    return new Message(buffer().putInt(type), List.of(files));
  }

  static ByteBuffer buffer() {
    return ByteBuffer.allocate(MOST).order(ByteOrder.nativeOrder());
  }

  Message put(int value) {
    bytes.putInt(value);
    return this;
  }

  Message put(long value) {
    bytes.putLong(value);
    return this;
  }

  Message put(byte[] value) {
    bytes.put(value);
    return this;
  }

  /** A message that came. */
  record Received(ByteBuffer bytes, List<ReceivedDescriptor> files) {
    /** A message whose files this process had no descriptors for. */
    static final Received CUT = new Received(ByteBuffer.allocate(0), List.of());

    /** @throws ProviderException {@code LIMIT} if its files are lost */
    void checkWhole() {
      if (this == CUT) {
        throw new ProviderException(ProviderException.Reason.LIMIT, Errno.EMFILE,
          "shm: this process has no file descriptor left for the memory"
            + " that a peer shares with it — raise 'ulimit -n' (LimitNOFILE= of a service)");
      }
    }

    int type() {
      return bytes.remaining() < 4 ? 0 : bytes.getInt(bytes.position());
    }

    /** Whether so many bytes of fields and so many files came. */
    boolean has(int fields, int count) {
      return bytes.remaining() >= fields + 4 && files.size() == count;
    }

    /** Gives back what nobody mapped. */
    void discard() {
      files.forEach(ReceivedDescriptor::discard);
    }
  }
}
