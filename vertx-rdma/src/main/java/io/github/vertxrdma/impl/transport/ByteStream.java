package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.io.IOException;
import java.net.SocketAddress;

/** Carrier of a channel's bytes: a link of the fabric, or TCP where no fabric serves. Confined to the channel's event loop. */
interface ByteStream {

  /** Hears what arrives. Called on the channel's event loop, after {@link ByteStream#start}. */
  interface Receiver {

    /** Some bytes; the buffer is the receiver's. */
    void received(ByteBuf bytes);

    /** No more bytes will come; all before were received. */
    void ended();

    /** Called once when the stream has ended. @param cause null after an orderly close; {@link PeerEnded} if the peer's end caused it */
    void closed(Throwable cause);
  }

  /** Tells that the peer ended without a close. Everything that it had sent was received before. */
  final class PeerEnded extends IOException {
    private static final long serialVersionUID = 1L;

    PeerEnded(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Tells what has arrived, and from now on what arrives. Called once. */
  void start(Receiver receiver);

  /**
   * Sends bytes behind those of earlier writes.
   *
   * @param bytes at most {@link #maxWrite}; released by the stream, also when it fails
   * @param done called once, on the channel's event loop, possibly before this method returns: when the bytes arrive even if this process
   *   ends, or the operating system has taken them; or with the cause when that is not so. The stream has released the bytes by then
   */
  void write(ByteBuf bytes, Completable<Void> done);

  /**
   * Begins a write of small buffers, which {@link #append} copies and {@link #finish} sends. Nothing else is written in between.
   *
   * @param bytes most bytes of all of them
   * @return false if the stream cannot take them at once, in which case they are written by {@link #write}
   */
  default boolean begin(int bytes) {
    return false;
  }

  /** Copies a buffer behind those before it. The buffer stays the caller's. */
  default void append(ByteBuf bytes) {
    throw new IllegalStateException("no write was begun");
  }

  /** Sends what was appended. @param done as of {@link #write} */
  default void finish(Completable<Void> done) {
    throw new IllegalStateException("no write was begun");
  }

  /** The most bytes of one write. */
  int maxWrite();

  /** Returns the bytes of unfinished writes at which a channel submits no more. */
  default int window() {
    return ChannelOutput.SEND_BUFFER;
  }

  /** Lets the peer go on, or holds it back. */
  void receiving(boolean on);

  /** This side sends no more. */
  void end();

  /**
   * Called when the channel wants to close, and still has bytes to write before. From now on the stream ends with an error, as after
   * {@link #close}, if the peer takes nothing for the close idle time. Idempotent.
   */
  void closing();

  /** Closes after everything written has gone out. Idempotent. */
  void close();

  /**
   * Ends at once. Bytes that were written and bytes that the peer still sends are lost, and the peer gets an error.
   *
   * @param why cause for the writes that fail, and for the log
   */
  void abort(String why);

  /** Returns the peer's name and address for messages. */
  default String peer() {
    return String.valueOf(remoteAddress());
  }

  SocketAddress localAddress();

  SocketAddress remoteAddress();
}
