package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.io.IOException;
import java.net.SocketAddress;

/** Carrier of a channel's bytes: a link, or TCP. Confined to the channel's event loop. */
interface ByteStream {

  interface Receiver {

    /** @param bytes owned by the receiver */
    void received(ByteBuf bytes);

    /** Called behind the last byte. */
    void ended();

    /**
     * Called once.
     *
     * @param cause null after an orderly close; {@link PeerEnded} if the peer ended without one
     */
    void closed(Throwable cause);
  }

  /** The peer ended without a close. All its bytes were received. */
  final class PeerEnded extends IOException {
    private static final long serialVersionUID = 1L;

    PeerEnded(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Starts delivery. Called once. */
  void start(Receiver receiver);

  /**
   * @param bytes at most {@link #maxWrite}; released by the stream, also on failure
   * @param done called once, possibly before return: when the bytes will arrive even if this process ends, or the kernel has them; or with
   * a failure
   */
  void write(ByteBuf bytes, Completable<Void> done);

  /**
   * Begins a write by {@link #append} and {@link #finish}, without another in between.
   *
   * @return false if the buffers need {@link #write}
   */
  default boolean begin(int bytes) {
    return false;
  }

  /** Copies a buffer, which the caller keeps. */
  default void append(ByteBuf bytes) {
    throw new IllegalStateException("no write was begun");
  }

  default void finish(Completable<Void> done) {
    throw new IllegalStateException("no write was begun");
  }

  int maxWrite();

  /** Returns the unfinished bytes at which a channel submits no more. */
  default int window() {
    return ChannelOutput.SEND_BUFFER;
  }

  void receiving(boolean on);

  void end();

  /** Fails the stream if the peer makes no progress. Idempotent. */
  void closing();

  /** Closes behind everything written. Idempotent. */
  void close();

  /** Closes at once, without the bytes in flight. The peer gets an error. */
  void abort(String why);

  default String peer() {
    return String.valueOf(remoteAddress());
  }

  SocketAddress localAddress();

  SocketAddress remoteAddress();
}
