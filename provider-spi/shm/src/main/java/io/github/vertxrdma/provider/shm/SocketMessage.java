package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Errno;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;

/** Message over a socket: a type (4 bytes), fields in native byte order, and files. */
record SocketMessage(byte[] bytes, List<AnonymousFile> files) {
  static final int MOST = ShmDevice.PRIVATE_DATA + 256;
  static final int MOST_FILES = 2;
  /** Versions of messages, files, rings and their records. */
  static final VersionRange VERSIONS = new VersionRange(5, 5);
  /** First 8 bytes of the fields of the first messages of two processes; the lowest 16 bits are a {@link VersionRange#word}. */
  private static final long MAGIC = 0x7672_646d_6173_0000L;
  private static final long MAGIC_BITS = ~0xffffL;

  /**
   * Requests a connection: magic and the versions of the connector (8), user (4), queue (16), connection (4), reads in flight (4), token
   * (8), proof (16) of the {@link PeeringKey} through whose rings the acceptance may come, or zeros; private data.
   */
  static final int CONNECT = 1;
  /**
   * Accepts, and makes this socket the one of the two queues: magic and the chosen version (8), user (4), requested connection (4), queue
   * (16), key (16), connection (4), reads in flight (4), number of the listener for {@link Record#CONNECT} or 0 (4), private data; with the
   * files of the page of {@link OwnSleep} and of a ring of the smallest size.
   */
  static final int ACCEPT = 2;
  /** Answers ACCEPT, with the files of the connector's page and of a ring of the smallest size. */
  static final int JOIN = 3;
  /** Announces that the answer comes through the rings whose key was proven. */
  static final int ELSEWHERE = 4;
  static final int REJECT = 5;
  static final int WAKE = 6;
  /** Sends the file of the sender's next ring: bytes of the file (8). */
  static final int RING = 7;
  /** Requests the file of a region: region (4), secret (8). */
  static final int OPEN = 8;
  /**
   * Answers {@link #OPEN} with the region's file: region (4), secret (8), offset (8) and length (8) in the file, rights (4), offset (8) and
   * value (8) of its mark, length of the file (8).
   */
  static final int OPENED = 9;
  /** Answers {@link #OPEN} if there is no such region to map: region (4), secret (8). */
  static final int NOT_OPENED = 10;
  /** Refuses a connector whose user, as the kernel reports it, is not the one in its request: the reported user (4). */
  static final int OTHER_USERS = 11;
  /** Refuses a request without a common version: magic and the versions of the acceptor (8). The same in every version. */
  static final int OTHER_VERSIONS = 12;

  static long magic(VersionRange versions) {
    return MAGIC | versions.word();
  }

  /** Returns null if another program sent the message. */
  static VersionRange versions(Received message) {
    long magic = message.has(Long.BYTES, message.files().size()) ? message.fields().i64() : 0;
    return (magic & MAGIC_BITS) == MAGIC ? VersionRange.of(magic) : null;
  }

  static SocketMessage of(int type, AnonymousFile... files) {
    return of(type, fields -> {}, files);
  }

  static SocketMessage of(int type, Consumer<Cursor> fields, AnonymousFile... files) {
    Cursor out = Cursor.writing(64).order(ByteOrder.nativeOrder()).i32(type);
    fields.accept(out);
    return new SocketMessage(out.toArray(), List.of(files));
  }

  record Received(byte[] bytes, List<ReceivedDescriptor> files) {
    /** Message whose files were lost, because this process has no file descriptors left. */
    static final Received CUT = new Received(new byte[0], List.of());

    void checkWhole() {
      if (this == CUT) {
        throw new ProviderException(ProviderException.Reason.LIMIT, Errno.EMFILE,
          "shm: this process has no file descriptor left for the memory that a peer shares with it. Raise 'ulimit -n' (LimitNOFILE= "
            + "of a service)");
      }
    }

    int type() {
      return bytes.length < 4 ? 0 : in().i32();
    }

    Cursor fields() {
      Cursor in = in();
      in.i32();
      return in;
    }

    private Cursor in() {
      return Cursor.reading("a message of a peer", bytes).order(ByteOrder.nativeOrder());
    }

    /** Returns whether the message has at least this number of bytes of fields, and exactly this number of files. */
    boolean has(int fields, int count) {
      return bytes.length >= fields + 4 && files.size() == count;
    }

    void discard() {
      files.forEach(ReceivedDescriptor::discard);
    }
  }
}
