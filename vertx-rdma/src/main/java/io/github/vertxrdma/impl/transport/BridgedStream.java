package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import java.nio.channels.ClosedChannelException;

/**
 * Stream on another event loop than its channel, as for connectionless endpoints that several loops share. {@link Backpressure} limits the
 * bytes that wait between the two event loops.
 */
final class BridgedStream implements ByteStream {
  private final ByteStream stream;
  private final EventLoop streamLoop;
  private final EventLoop channelLoop;
  private final Backpressure inbound;

  BridgedStream(ByteStream stream, EventLoop streamLoop, EventLoop channelLoop) {
    this.stream = stream;
    this.streamLoop = streamLoop;
    this.channelLoop = channelLoop;
    this.inbound = new Backpressure(streamLoop, back -> stream.receiving(!back));
  }

  @Override
  public void start(Receiver receiver) {
    onStreamLoop(() -> stream.start(new Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        int size = bytes.readableBytes();
        inbound.add(size);
        boolean accepted = LoopCall.execute(channelLoop, () -> {
          inbound.remove(size);
          receiver.received(bytes);
        });
        if (!accepted) {
          bytes.release();
        }
      }

      @Override
      public void control(byte kind, long offset) {
        LoopCall.execute(channelLoop, () -> receiver.control(kind, offset));
      }

      @Override
      public void closed(Throwable cause) {
        LoopCall.execute(channelLoop, () -> receiver.closed(cause));
      }
    }));
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    boolean accepted = onStreamLoop(
      () -> stream.write(bytes, (v, cause) -> LoopCall.execute(channelLoop, () -> done.complete(v, cause))));
    if (!accepted) {
      bytes.release();
      done.fail(new ClosedChannelException());
    }
  }

  @Override
  public void control(byte kind, long offset, Completable<Void> done) {
    if (!onStreamLoop(() -> stream.control(kind, offset, (v, cause) -> LoopCall.execute(channelLoop, () -> done.complete(v, cause))))) {
      done.fail(new ClosedChannelException());
    }
  }

  @Override
  public void suspect(String why) {
    onStreamLoop(() -> stream.suspect(why));
  }

  @Override
  public void receiving(boolean on) {
    onStreamLoop(() -> inbound.hold(!on));
  }

  @Override
  public void closing() {
    onStreamLoop(stream::closing);
  }

  @Override
  public void close() {
    onStreamLoop(stream::close);
  }

  @Override
  public void abort(String why) {
    onStreamLoop(() -> stream.abort(why));
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
  public String peer() {
    return stream.peer();
  }

  private boolean onStreamLoop(Runnable task) {
    return LoopCall.execute(streamLoop, task);
  }
}
