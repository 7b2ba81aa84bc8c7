package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.io.IOException;
import java.net.SocketAddress;

/** Carrier of a channel's bytes: a link, or TCP. Confined to the channel's event loop. */
interface ByteStream {

  /** Receives what arrives after {@link ByteStream#start}, on the channel's event loop. */
  interface Receiver {

    /** The receiver owns the buffer. */
    void received(ByteBuf bytes);

    /** Called behind the last byte. */
    void ended();

    /** Called once at the end. @param cause null after an orderly close; {@link PeerEnded} if the peer ended without one */
    void closed(Throwable cause);
  }

  /** The peer ended without a close. Everything that it sent was received before. */
  final class PeerEnded extends IOException {
    private static final long serialVersionUID = 1L;

    PeerEnded(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Starts delivery, beginning with buffered bytes. Called once. */
  void start(Receiver receiver);

  /**
   * Sends bytes behind earlier writes.
   *
   * @param bytes at most {@link #maxWrite}; released by the stream, also on failure
   * @param done called once on the channel's event loop, possibly before return, after the bytes are released: when they will arrive even
   * if this process ends, or the kernel has them; or with a failure
   */
  void write(ByteBuf bytes, Completable<Void> done);

  /**
   * Begins a write of small buffers for {@link #append} and {@link #finish}. No other write may come in between.
   *
   * @param bytes maximum size
   * @return false if the buffers need {@link #write}
   */
  default boolean begin(int bytes) {
    return false;
  }

  /** Copies a buffer, which the caller keeps. */
  default void append(ByteBuf bytes) {
    throw new IllegalStateException("no write was begun");
  }

  /** @param done as for {@link #write} */
  default void finish(Completable<Void> done) {
    throw new IllegalStateException("no write was begun");
  }

  int maxWrite();

  /** Returns the unfinished bytes at which a channel submits no more. */
  default int window() {
    return ChannelOutput.SEND_BUFFER;
  }

  /** Resumes or pauses the peer. */
  void receiving(boolean on);

  void end();

  /** Fails the stream if the peer makes no progress before {@link #close}, as after it. Idempotent. */
  void closing();

  /** Closes behind everything written. Idempotent. */
  void close();

  /** Closes at once, without the bytes in flight; the peer gets an error. @param why for failing writes and the log */
  void abort(String why);

  default String peer() {
    return String.valueOf(remoteAddress());
  }

  SocketAddress localAddress();

  SocketAddress remoteAddress();
}
