package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.SocketAddress;

/**
 * A connection to the event bus of a peer: by TCP until a fabric reaches that peer, then over the fabric. It can move because the bus
 * writes whole messages, and the server has a parser for each connection and answers nothing but pings. It moves so:
 *
 * <ol>
 * <li>The fabric is connected while messages go by TCP.
 * <li>TCP is half closed behind the last message. Writes wait from now on as they do for a full socket.
 * <li>The server reads all messages, then the end. It closes its half, which confirms that it has read them.
 * <li>The messages that waited, and all later ones, go over the fabric.
 * </ol>
 *
 * <p>It never moves after bytes that are not whole messages of the bus, such as TLS, were written to it. Confined to the channel's event
 * loop.
 */
final class MovableStream implements ByteStream {
  /** Bytes of one write by TCP: more than a message of the bus has, so that a write has whole ones. */
  private static final int LARGEST_WRITE = 1 << 30;
  /** Bytes of the length before a message of the bus. */
  private static final int LENGTH = Integer.BYTES;

  private enum State {
    /** Over TCP, until a fabric is connected. */
    MOVABLE,
    /** The fabric is connected and TCP half closed. The peer has not closed its half. */
    MOVING,
    /** The fabric was lost before the peer had closed its half. TCP is not reset, so that what it has taken arrives, and takes no more. */
    LOST,
    /** Over the fabric, or over TCP for good. */
    SETTLED
  }

  private final ByteStream tcp;
  private final EventLoop loop;
  private final Dialer dialer;
  private final Runnable resume;
  private State state = State.MOVABLE;
  /** The stream that is written to: TCP, or the fabric once it has moved. */
  private ByteStream stream;
  /** Null before it is connected. */
  private ByteStream fabric;
  private Receiver receiver;
  /** Writes by TCP that have not completed. */
  private int unfinished;
  private boolean heldBack;
  private boolean closing;

  /** Connects the fabric. */
  @FunctionalInterface
  interface Dialer {
    /** Begins to connect. Called once. The future completes on any thread when the fabric is connected, however long that takes. */
    Future<ByteStream> dial();

    /** Called when a fabric is not needed any more. One that is being connected may still complete the future. */
    default void stop() {
    }
  }

  /**
   * @param loop the channel's event loop
   * @param resume called when the stream has room for writes that wait
   */
  MovableStream(ByteStream tcp, EventLoop loop, Dialer dialer, Runnable resume) {
    this.tcp = tcp;
    this.loop = loop;
    this.dialer = dialer;
    this.resume = resume;
    this.stream = tcp;
  }

  /** Receives from one of the two streams. */
  private final class From implements Receiver {
    private final ByteStream source;

    From(ByteStream source) {
      this.source = source;
    }

    @Override
    public void received(ByteBuf bytes) {
      receiver.received(bytes);
    }

    @Override
    public void ended() {
      if (isConfirmation()) {
        move();
      } else {
        receiver.ended();
      }
    }

    /** Returns whether an end means that the peer has read everything. Before all writes are finished it is the peer's own. */
    private boolean isConfirmation() {
      return state == State.MOVING && source == tcp && unfinished == 0;
    }

    @Override
    public void closed(Throwable cause) {
      if (source == tcp && stream != tcp) {
        return;
      }
      if (cause == null && isConfirmation()) {
        move();
        return;
      }
      if (leave()) {
        if (source == tcp) {
          fabric.abort("the connection was lost while it moved from TCP to the fabric");
        } else {
          state = State.LOST;
        }
        // Messages that wait fail.
        resume.run();
      }
      receiver.closed(cause);
    }
  }

  @Override
  public void start(Receiver to) {
    receiver = to;
    tcp.start(new From(tcp));
    if (state == State.MOVABLE) {
      dialer.dial().onSuccess(made -> {
        if (!EventLoopHost.tryExecute(loop, () -> connected(made))) {
          made.close();
        }
      });
    }
  }

  // ---- moving

  private void connected(ByteStream made) {
    if (state == State.MOVABLE) {
      state = State.MOVING;
      fabric = made;
      tcp.end();
      fabric.start(new From(fabric));
    } else {
      made.close();
    }
  }

  /** Continues over the fabric: the peer has read everything that was written by TCP. */
  private void move() {
    settle();
    stream = fabric;
    tcp.close();
    if (heldBack) {
      stream.receiving(false);
    }
    if (closing) {
      stream.closing();
    }
    resume.run();
  }

  private void settle() {
    state = State.SETTLED;
    dialer.stop();
  }

  /** Returns whether bytes are whole messages of the bus: each is a length and as many bytes. */
  private static boolean isWhole(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int left = bytes.readableBytes();
    while (left >= LENGTH) {
      int length = bytes.getInt(at);
      if (length < 0 || length > left - LENGTH) {
        return false;
      }
      at += LENGTH + length;
      left -= LENGTH + length;
    }
    return left == 0;
  }

  // ---- the channel's calls

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    if (state == State.SETTLED) {
      stream.write(bytes, done);
      return;
    }
    if (state == State.LOST) {
      bytes.release();
      done.fail(new IOException("the fabric was lost while the connection moved to it from TCP"));
      return;
    }
    if (!isWhole(bytes)) {
      settle();
    }
    unfinished++;
    stream.write(bytes, (v, cause) -> {
      unfinished--;
      done.complete(v, cause);
    });
  }

  @Override
  public boolean begin(int bytes) {
    return state == State.SETTLED && stream.begin(bytes);
  }

  @Override
  public void append(ByteBuf bytes) {
    stream.append(bytes);
  }

  @Override
  public void finish(Completable<Void> done) {
    stream.finish(done);
  }

  @Override
  public int maxWrite() {
    return state == State.MOVABLE ? LARGEST_WRITE : stream.maxWrite();
  }

  @Override
  public int window() {
    return state == State.MOVING ? 0 : stream.window();
  }

  @Override
  public void receiving(boolean on) {
    heldBack = !on;
    stream.receiving(on);
  }

  @Override
  public void end() {
    if (leave()) {
      fabric.close();
    } else {
      stream.end();
    }
  }

  @Override
  public void closing() {
    closing = true;
    stream.closing();
  }

  @Override
  public void close() {
    if (leave()) {
      fabric.close();
    }
    stream.close();
  }

  @Override
  public void abort(String why) {
    if (leave()) {
      fabric.abort(why);
    }
    stream.abort(why);
  }

  /** Remains on the present stream. @return whether it was moving, so that the fabric is to be ended */
  private boolean leave() {
    boolean moving = state == State.MOVING;
    settle();
    return moving;
  }

  @Override
  public String peer() {
    return stream.peer();
  }

  @Override
  public SocketAddress localAddress() {
    return stream.localAddress();
  }

  @Override
  public SocketAddress remoteAddress() {
    return stream.remoteAddress();
  }
}
