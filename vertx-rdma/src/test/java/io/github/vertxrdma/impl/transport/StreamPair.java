package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import java.io.IOException;
import java.util.ArrayDeque;

/** Two streams that stand for a fabric between two event loops. */
final class StreamPair {
  final End one;
  final End other;

  StreamPair(EventLoop one, EventLoop other) {
    this.one = new End(one);
    this.other = new End(other);
    this.one.peer = this.other;
    this.other.peer = this.one;
  }

  /** Confined to its event loop. */
  static final class End implements ByteStream {
    private final EventLoop loop;
    private End peer;
    private Receiver receiver;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final ArrayDeque<Completable<Void>> unconfirmed = new ArrayDeque<>();
    private boolean closed;
    /** Whether the bytes and control words of the peer are passed on. */
    volatile boolean delivers = true;
    volatile boolean confirms = true;
    volatile boolean paused;
    /** Number of bytes that were written to this end. */
    volatile int written;

    private End(EventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
      deliver();
    }

    private void arrive(Runnable what) {
      loop.execute(() -> {
        waiting.add(what);
        deliver();
      });
    }

    void deliver() {
      while (delivers && receiver != null && !waiting.isEmpty()) {
        waiting.poll().run();
      }
    }

    private void confirmUnlessHeld() {
      if (confirms) {
        confirm();
      }
    }

    void confirm() {
      while (!unconfirmed.isEmpty()) {
        unconfirmed.poll().succeed();
      }
    }

    @Override
    public void write(ByteBuf bytes, Completable<Void> done) {
      if (closed) {
        bytes.release();
        done.fail(new IOException("closed"));
        return;
      }
      ByteBuf copy = Unpooled.copiedBuffer(bytes);
      written += copy.readableBytes();
      bytes.release();
      peer.arrive(() -> peer.receiver.received(copy));
      unconfirmed.add(done);
      if (confirms) {
        loop.execute(this::confirmUnlessHeld);
      }
    }

    @Override
    public void control(byte kind, long offset, Completable<Void> done) {
      peer.arrive(() -> peer.receiver.control(kind, offset));
      unconfirmed.add(done);
      if (confirms) {
        loop.execute(this::confirmUnlessHeld);
      }
    }

    @Override
    public int maxWrite() {
      return 100_000;
    }

    @Override
    public void receiving(boolean on) {
      paused = !on;
    }

    @Override
    public void closing() {
    }

    @Override
    public void close() {
      if (!closed) {
        peer.arrive(() -> peer.over(null));
        loop.execute(() -> over(null));
      }
    }

    @Override
    public void abort(String why) {
      if (!closed) {
        peer.arrive(() -> peer.over(new IOException(why)));
        over(new IOException(why));
      }
    }

    void over(Throwable cause) {
      if (!closed) {
        closed = true;
        while (!unconfirmed.isEmpty()) {
          unconfirmed.poll().fail(cause == null ? new IOException("closed") : cause);
        }
        if (receiver != null) {
          receiver.closed(cause);
        }
      }
    }

    @Override
    public String peer() {
      return "the peer";
    }
  }
}
