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
  /** Supported protocol versions. A version covers messages, files, rings and records. */
  static final VersionRange VERSIONS = new VersionRange(5, 5);
  /** First 8 bytes of the fields in each process's first message. The lowest 16 bits are a {@link VersionRange#word}. */
  private static final long MAGIC = 0x7672_646d_6173_0000L;
  private static final long MAGIC_BITS = ~0xffffL;

  /**
   * Requests a connection: magic and the connector's versions (8), user (4), queue's id (16), connection (4), maximum reads in flight (4),
   * token (8), proof (16), private data. The proof is of the {@link LinkKey} through whose rings the acceptance may come, or zeros.
   */
  static final int CONNECT = 1;
  /**
   * Accepts a connection, and makes this socket the one of the two queues: magic and the chosen version (8), user (4), requested connection
   * (4), queue's id (16), key (16), connection (4), maximum reads in flight (4), listener's number for {@link Record#CONNECT} or 0 (4),
   * private data. Its files are the page of {@link OwnSleep} and a ring of the smallest size.
   */
  static final int ACCEPT = 2;
  /** Answers {@link #ACCEPT} with the files of the connector's {@link OwnSleep} page and of a ring of the smallest size. */
  static final int JOIN = 3;
  /** Announces that the answer comes through the rings whose key the request proved. */
  static final int ELSEWHERE = 4;
  static final int REJECT = 5;
  static final int WAKE = 6;
  /** Passes the file of the sender's next ring: length of the file (8). */
  static final int RING = 7;
  /** Requests the file of a region: region (4), secret (8). */
  static final int OPEN = 8;
  /**
   * Answers {@link #OPEN} with the region's file: region (4), secret (8), offset (8) and length (8) in the file, rights (4), offset (8) and
   * value (8) of its mark, length of the file (8).
   */
  static final int OPENED = 9;
  /** Answers {@link #OPEN} if peers cannot map this region: region (4), secret (8). */
  static final int NOT_OPENED = 10;
  /** Refuses a connector if the kernel reports another user than its request: the reported user (4). */
  static final int OTHER_USERS = 11;
  /** Refuses a request without a common version: magic and the acceptor's versions (8). It is the same in every version. */
  static final int OTHER_VERSIONS = 12;

  static long magic(VersionRange versions) {
    return MAGIC | versions.word();
  }

  /** Returns the versions in a message; null if another program sent it. */
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
    /** Message whose files were lost because this process has no file descriptors left. */
    static final Received TRUNCATED = new Received(new byte[0], List.of());

    void checkWhole() {
      if (this == TRUNCATED) {
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

    /** Returns whether the message has at least {@code fields} bytes of fields, and exactly {@code count} files. */
    boolean has(int fields, int count) {
      return bytes.length >= fields + 4 && files.size() == count;
    }

    void discard() {
      files.forEach(ReceivedDescriptor::discard);
    }
  }
}
