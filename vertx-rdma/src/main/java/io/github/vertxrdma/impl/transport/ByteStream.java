package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.io.IOException;

/** Byte stream of a moved channel, with control words between the bytes. Confined to the channel's event loop. */
interface ByteStream {
  /** Default number of unconfirmed bytes. */
  int SEND_BUFFER = 256 << 10;

  interface Receiver {

    /** @param bytes owned by the receiver */
    void received(ByteBuf bytes);

    /** @param kind and offset as sent by {@link ByteStream#control} */
    void control(byte kind, long offset);

    /** Called once. @param cause null after an orderly close; {@link PeerEnded} if the peer ended without one */
    void closed(Throwable cause);
  }

  /** Failure if the peer ended without a close. All its bytes were received. */
  final class PeerEnded extends IOException {
    private static final long serialVersionUID = 1L;

    PeerEnded(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  void start(Receiver receiver);

  /**
   * @param bytes at most {@link #maxWrite}; released by the stream, also on failure
   * @param done called once, possibly before this method returns, when the bytes will arrive even if this process ends
   */
  void write(ByteBuf bytes, Completable<Void> done);

  /**
   * Begins a write that {@link #append} fills and {@link #finish} ends. No other write may begin before that.
   *
   * @return false if the caller must use {@link #write}
   */
  default boolean begin(int bytes) {
    return false;
  }

  /** Copies a buffer, which the caller still owns, into the write. */
  default void append(ByteBuf bytes) {
    throw new IllegalStateException("no write has begun");
  }

  default void finish(Completable<Void> done) {
    throw new IllegalStateException("no write has begun");
  }

  /**
   * Sends a control word, which arrives in order with the bytes.
   *
   * @param done called once when the word was sent, possibly before this method returns
   */
  void control(byte kind, long offset, Completable<Void> done);

  /** Finds out whether the peer of the stream lives, and fails the stream otherwise. */
  default void suspect(String why) {
  }

  int maxWrite();

  /** Returns the number of unconfirmed bytes above which the channel submits no further writes. */
  default int window() {
    return SEND_BUFFER;
  }

  void receiving(boolean on);

  /** Called when the channel begins to close. The stream then fails if the peer makes no progress. Idempotent. */
  void closing();

  /** Closes after all written bytes are sent. Idempotent. */
  void close();

  /** Closes immediately and drops the bytes in flight. The peer gets an error. */
  void abort(String why);

  /** Returns words for the peer and its address. */
  String peer();
}
