package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import java.io.IOException;

/**
 * Event bus connection that moves from TCP to a fabric between two messages. The server ends its half of TCP when it has read everything.
 * Confined to the channel's event loop.
 */
final class MovableStream extends StreamWrapper {
  private static final int LARGEST_WRITE = 1 << 30;
  private static final int LENGTH = Integer.BYTES;

  private enum State {
    MOVABLE,
    MOVING,
    /** The fabric failed during the move. TCP is not reset, so that the bytes sent over it arrive. */
    LOST,
    SETTLED
  }

  private final ByteStream tcp;
  private final EventLoop loop;
  private final Dialer dialer;
  private final Runnable resume;
  private State state = State.MOVABLE;
  private ByteStream fabric;
  private Receiver receiver;
  private int unfinished;
  private boolean peerPaused;
  private boolean closing;

  @FunctionalInterface
  interface Dialer {
    /** The future may complete on any thread, even after {@link #stop}. */
    Future<ByteStream> dial();

    default void stop() {
    }
  }

  MovableStream(ByteStream tcp, EventLoop loop, Dialer dialer, Runnable resume) {
    super(tcp);
    this.tcp = tcp;
    this.loop = loop;
    this.dialer = dialer;
    this.resume = resume;
  }

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

    /**
     * Returns whether the end of the peer's TCP half confirms all messages. If writes are unfinished, the peer closed for another reason.
     */
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
        if (!LoopCall.execute(loop, () -> connected(made))) {
          made.close();
        }
      });
    }
  }

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

  private void move() {
    settle();
    stream = fabric;
    tcp.close();
    if (peerPaused) {
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
    peerPaused = !on;
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

  private boolean leave() {
    boolean moving = state == State.MOVING;
    settle();
    return moving;
  }
}
