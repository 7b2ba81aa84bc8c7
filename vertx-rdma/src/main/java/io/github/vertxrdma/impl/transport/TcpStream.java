package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

final class TcpStream extends ChannelInboundHandlerAdapter implements ByteStream {
  private static final int LARGEST_WRITE = 1 << 20;

  private final Channel tcp;
  private final int closeIdleMillis;
  private Receiver receiver;
  private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();
  private boolean inputEnded;
  private Throwable failure;
  private boolean closed;
  private boolean closing;
  private boolean watching;

  /** @param closeIdleMillis time without progress after which a close fails */
  TcpStream(Channel tcp, int closeIdleMillis) {
    this.tcp = tcp;
    this.closeIdleMillis = closeIdleMillis;
  }

  static Future<TcpStream> open(EventLoop loop, ChannelFactory<? extends Channel> factory, Map<ChannelOption<?>, Object> options,
    int closeIdleMillis) {
    TcpStream stream = new TcpStream(factory.newChannel(), closeIdleMillis);
    return completion(stream.register(loop, options)).map(stream);
  }

  Future<Integer> bind(SocketAddress local) {
    tcp.config().setOption(ChannelOption.SO_REUSEADDR, true);
    return completion(tcp.bind(local == null ? new InetSocketAddress(0) : local))
      .map(v -> ((InetSocketAddress) tcp.localAddress()).getPort());
  }

  Future<ByteStream> connect(SocketAddress remote, SocketAddress local) {
    return completion(tcp.connect(remote, local)).<ByteStream>map(this).onFailure(cause -> tcp.close());
  }

  private static Future<Void> completion(ChannelFuture future) {
    Promise<Void> promise = Promise.promise();
    future.addListener(done -> promise.complete(null, done.cause()));
    return promise.future();
  }

  boolean hasEnded() {
    return inputEnded || !tcp.isActive();
  }

  ChannelFuture register(EventLoop loop, Map<ChannelOption<?>, Object> options) {
    tcp.config().setOptions(options);
    tcp.config().setAutoRead(false);
    tcp.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    tcp.pipeline().addLast(this);
    return loop.register(tcp);
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
    for (ByteBuf bytes = early.poll(); bytes != null; bytes = early.poll()) {
      receiver.received(bytes);
    }
    if (inputEnded && !closed) {
      receiver.ended();
    }
    tcp.config().setAutoRead(true);
    if (!tcp.isActive()) {
      notifyClosed(failure);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (receiver != null) {
      receiver.received((ByteBuf) message);
    } else if (closing) {
      ((ByteBuf) message).release();
    } else {
      early.add((ByteBuf) message);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE && !closed) {
      inputEnded = true;
      if (receiver != null) {
        receiver.ended();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failure = cause;
    notifyClosed(cause);
    tcp.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    notifyClosed(null);
  }

  private void notifyClosed(Throwable cause) {
    if (!closed && receiver != null) {
      closed = true;
      receiver.closed(cause);
    }
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    tcp.writeAndFlush(bytes).addListener(written -> done.complete(null, written.cause()));
  }

  @Override
  public int maxWrite() {
    return LARGEST_WRITE;
  }

  @Override
  public void receiving(boolean on) {
    tcp.config().setAutoRead(on);
  }

  @Override
  public void end() {
    afterWrites(() -> ((DuplexChannel) tcp).shutdownOutput());
  }

  @Override
  public void closing() {
    if (!watching && tcp.isOpen() && tcp.isRegistered()) {
      watching = true;
      tcp.config().setAutoRead(true);
      checkProgress(unwritten());
    }
  }

  @Override
  public void close() {
    if (!closing) {
      closing = true;
      dropEarly();
      if (tcp.isRegistered()) {
        afterWrites(tcp::close);
        closing();
      } else {
        tcp.unsafe().closeForcibly();
      }
    }
  }

  private void dropEarly() {
    early.forEach(ByteBuf::release);
    early.clear();
  }

  /** Runs a close or shutdown after the earlier writes, which would otherwise fail. */
  private void afterWrites(Runnable then) {
    tcp.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> then.run());
  }

  private void checkProgress(long before) {
    tcp.eventLoop().schedule(() -> {
      long now = unwritten();
      if (tcp.isOpen() && now == before) {
        abort("the peer read nothing for " + closeIdleMillis + " ms");
      } else if (tcp.isOpen()) {
        checkProgress(now);
      }
    }, closeIdleMillis, TimeUnit.MILLISECONDS);
  }

  private long unwritten() {
    ChannelOutboundBuffer out = tcp.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes() - out.currentProgress();
  }

  @Override
  public void abort(String why) {
    closing = true;
    dropEarly();
    tcp.config().setOption(ChannelOption.SO_LINGER, 0);
    if (tcp.isRegistered()) {
      tcp.close();
    } else {
      tcp.unsafe().closeForcibly();
    }
  }

  @Override
  public SocketAddress localAddress() {
    return tcp.localAddress();
  }

  @Override
  public SocketAddress remoteAddress() {
    return tcp.remoteAddress();
  }
}
