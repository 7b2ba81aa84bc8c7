package io.github.vertxrdma.impl.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import java.net.SocketAddress;

/** {@link ControlPipe} over a Netty channel. Handlers and calls run on the given context. */
final class ChannelPipe extends ChannelInboundHandlerAdapter implements ControlPipe {
  private final ContextInternal context;
  private final Channel channel;
  private Handler<Buffer> handler = data -> {};
  private Handler<Throwable> closeHandler = cause -> {};
  private Throwable failure;

  ChannelPipe(ContextInternal context, Channel channel) {
    this.context = context;
    this.channel = channel;
  }

  @Override
  public void handler(Handler<Buffer> value) {
    handler = value;
  }

  @Override
  public void closeHandler(Handler<Throwable> value) {
    closeHandler = value;
  }

  @Override
  public SocketAddress remoteAddress() {
    return channel.remoteAddress();
  }

  @Override
  public boolean writeQueueFull() {
    return !channel.isWritable();
  }

  @Override
  public Future<Void> write(Buffer data) {
    PromiseInternal<Void> promise = context.promise();
    channel.writeAndFlush(Unpooled.wrappedBuffer(data.getBytes())).addListener(promise);
    return promise.future();
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ignored, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    byte[] copy = ByteBufUtil.getBytes(bytes);
    bytes.release();
    context.dispatch(Buffer.buffer(copy), handler);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
    failure = cause;
    channel.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ignored) {
    context.dispatch(failure, closeHandler);
  }
}
