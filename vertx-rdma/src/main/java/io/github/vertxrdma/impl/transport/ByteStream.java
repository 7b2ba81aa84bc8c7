package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.io.IOException;
import java.net.SocketAddress;

/** Byte stream of a Netty channel, over a link or TCP. Confined to the channel's event loop. */
interface ByteStream {

  interface Receiver {

    /** @param bytes owned by the receiver */
    void received(ByteBuf bytes);

    /** Called after the last byte when the peer has shut down its output. */
    void ended();

    /** @param kind and offset as sent by {@link ByteStream#control} */
    default void control(byte kind, long offset) {
      throw new IllegalStateException("this stream has no control words");
    }

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
   * @param done called once, possibly before this method returns. Over a link: when the bytes will arrive even if this process ends. Over
   * TCP: when the kernel has them
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
   * Sends a control word, which arrives in order with the bytes. Only for streams that {@link LinkStream#withControl} made.
   *
   * @param done called once when the word was sent, possibly before this method returns
   */
  default void control(byte kind, long offset, Completable<Void> done) {
    throw new IllegalStateException("this stream has no control words");
  }

  /** Finds out whether the peer of the stream lives, and fails the stream otherwise. */
  default void suspect(String why) {
  }

  int maxWrite();

  /** Returns the number of unconfirmed bytes above which the channel submits no further writes. */
  default int window() {
    return ChannelOutput.SEND_BUFFER;
  }

  void receiving(boolean on);

  void end();

  /** Called when the channel begins to close. The stream then fails if the peer makes no progress. Idempotent. */
  void closing();

  /** Closes after all written bytes are sent. Idempotent. */
  void close();

  /** Closes immediately and drops the bytes in flight. The peer gets an error. */
  void abort(String why);

  default String peer() {
    return String.valueOf(remoteAddress());
  }

  SocketAddress localAddress();

  SocketAddress remoteAddress();
}
