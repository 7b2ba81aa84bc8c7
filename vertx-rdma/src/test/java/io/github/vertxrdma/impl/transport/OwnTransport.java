package io.github.vertxrdma.impl.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.atomic.AtomicInteger;

class OwnTransport implements io.vertx.core.transport.Transport, Transport {
  private static final Transport NIO = io.vertx.core.transport.Transport.NIO.implementation();

  final AtomicInteger looks = new AtomicInteger();
  final AtomicInteger sleeps = new AtomicInteger();
  final AtomicInteger wakeups = new AtomicInteger();

  @Override
  public String name() {
    return "own";
  }

  @Override
  public boolean available() {
    return isAvailable();
  }

  @Override
  public Transport implementation() {
    return this;
  }

  @Override
  public boolean isAvailable() {
    return true;
  }

  @Override
  public Throwable unavailabilityCause() {
    return null;
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return executor -> new Counting(executor);
  }

  @Override
  @SuppressWarnings("deprecation")
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return NIO.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return NIO.datagramChannelFactory();
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return NIO.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return NIO.serverChannelFactory(domainSocket);
  }

  private final class Counting implements IoHandler {
    private final IoHandler handler;

    Counting(ThreadAwareExecutor executor) {
      handler = NioIoHandler.newFactory().newHandler(executor);
    }

    @Override
    public void initialize() {
      handler.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      (context.canBlock() ? sleeps : looks).incrementAndGet();
      return handler.run(context);
    }

    @Override
    public void prepareToDestroy() {
      handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
      handler.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return handler.register(handle);
    }

    @Override
    public void wakeup() {
      wakeups.incrementAndGet();
      handler.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return handler.isCompatible(type);
    }
  }
}
