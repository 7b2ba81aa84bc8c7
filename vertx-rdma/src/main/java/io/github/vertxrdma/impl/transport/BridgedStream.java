package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;

/**
 * A stream of another event loop, as a server distributes channels over its loops while links stay where they were accepted. Each call is a
 * task on the other loop. Pending bytes are bounded by the channel's send buffer and by {@link Backpressure}.
 */
final class BridgedStream implements ByteStream {
  private final ByteStream stream;
  private final EventLoop there;
  private final EventLoop here;
  private final Backpressure inbound;

  BridgedStream(ByteStream stream, EventLoop there, EventLoop here) {
    this.stream = stream;
    this.there = there;
    this.here = here;
    this.inbound = new Backpressure(there, back -> stream.receiving(!back));
  }

  @Override
  public void start(Receiver receiver) {
    there(() -> stream.start(new Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        int size = bytes.readableBytes();
        inbound.add(size);
        boolean accepted = EventLoopHost.tryExecute(here, () -> {
          inbound.remove(size);
          receiver.received(bytes);
        });
        if (!accepted) {
          bytes.release();
        }
      }

      @Override
      public void ended() {
        EventLoopHost.tryExecute(here, receiver::ended);
      }

      @Override
      public void closed(Throwable cause) {
        EventLoopHost.tryExecute(here, () -> receiver.closed(cause));
      }
    }));
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    boolean accepted = there(() -> stream.write(bytes, (v, cause) -> EventLoopHost.tryExecute(here, () -> done.complete(v, cause))));
    if (!accepted) {
      bytes.release();
      done.fail(new ClosedChannelException());
    }
  }

  @Override
  public int maxWrite() {
    return stream.maxWrite();
  }

  @Override
  public int window() {
    return stream.window();
  }

  @Override
  public void receiving(boolean on) {
    there(() -> inbound.hold(!on));
  }

  @Override
  public void end() {
    there(stream::end);
  }

  @Override
  public void closing() {
    there(stream::closing);
  }

  @Override
  public void close() {
    there(stream::close);
  }

  @Override
  public void abort(String why) {
    there(() -> stream.abort(why));
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

  private boolean there(Runnable task) {
    return EventLoopHost.tryExecute(there, task);
  }
}
