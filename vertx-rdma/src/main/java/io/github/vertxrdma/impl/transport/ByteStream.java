package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.net.SocketAddress;

/** Carrier of a channel's bytes: a link of the fabric, or TCP where no fabric serves. Confined to the channel's event loop. */
interface ByteStream {

  /** Hears what arrives. Called on the channel's event loop, after {@link ByteStream#start}. */
  interface Receiver {

    /** Some bytes; the buffer is the receiver's. */
    void received(ByteBuf bytes);

    /** No more bytes will come; all before were received. */
    void ended();

    /** It is over. Said once. @param cause null after an orderly close */
    void closed(Throwable cause);
  }

  /** Tells what has arrived, and from now on what arrives. Called once. */
  void start(Receiver receiver);

  /**
   * Sends bytes behind those of earlier writes.
   *
   * @param bytes at most {@link #maxWrite}; released by the stream, also when it fails
   * @param done called once, on the channel's event loop, possibly before this method returns: when the fabric or the operating system has
   *   taken the bytes, or with the cause when they are not sent. The stream has released the bytes by then
   */
  void write(ByteBuf bytes, Completable<Void> done);

  /** The most bytes of one write. */
  int maxWrite();

  /** Lets the peer go on, or holds it back. */
  void receiving(boolean on);

  /** This side sends no more. */
  void end();

  /** Closes after everything written has gone out. Idempotent. */
  void close();

  /** Ends at once; what was written and what the peer still sends is lost, and the peer is told of an error. */
  void abort();

  SocketAddress localAddress();

  SocketAddress remoteAddress();
}
