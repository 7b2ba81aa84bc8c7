package io.github.vertxrdma.impl.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import java.net.SocketAddress;
import java.util.function.Consumer;

/** Tells which event loop a channel is to be registered on, and does not register it. */
record ProbeUnsafe(Channel.Unsafe delegate, Consumer<EventLoop> given) implements Channel.Unsafe {

  @Override
  public void register(EventLoop eventLoop, ChannelPromise promise) {
    given.accept(eventLoop);
  }

  @Override
  @SuppressWarnings("deprecation")
  public RecvByteBufAllocator.Handle recvBufAllocHandle() {
    return delegate.recvBufAllocHandle();
  }

  @Override
  public SocketAddress localAddress() {
    return delegate.localAddress();
  }

  @Override
  public SocketAddress remoteAddress() {
    return delegate.remoteAddress();
  }

  @Override
  public void bind(SocketAddress localAddress, ChannelPromise promise) {
    delegate.bind(localAddress, promise);
  }

  @Override
  public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
    delegate.connect(remoteAddress, localAddress, promise);
  }

  @Override
  public void disconnect(ChannelPromise promise) {
    delegate.disconnect(promise);
  }

  @Override
  public void close(ChannelPromise promise) {
    delegate.close(promise);
  }

  @Override
  public void closeForcibly() {
    delegate.closeForcibly();
  }

  @Override
  public void deregister(ChannelPromise promise) {
    delegate.deregister(promise);
  }

  @Override
  public void beginRead() {
    delegate.beginRead();
  }

  @Override
  public void write(Object message, ChannelPromise promise) {
    delegate.write(message, promise);
  }

  @Override
  public void flush() {
    delegate.flush();
  }

  @Override
  public ChannelPromise voidPromise() {
    return delegate.voidPromise();
  }

  @Override
  public ChannelOutboundBuffer outboundBuffer() {
    return delegate.outboundBuffer();
  }
}
