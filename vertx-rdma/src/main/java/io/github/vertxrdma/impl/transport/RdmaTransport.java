package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.loop.PollPolicy;
import io.github.vertxrdma.impl.loop.RdmaIoHandler;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/** A stock transport whose I/O event loops also poll completion queues. Everything else is the stock transport's. */
final class RdmaTransport implements Transport {
  private final Transport stock;
  private final Supplier<? extends PollPolicy> policy;

  RdmaTransport(Transport stock, Supplier<? extends PollPolicy> policy) {
    this.stock = stock;
    this.policy = policy;
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return RdmaIoHandler.newFactory(stock.ioHandlerFactory(), policy);
  }

  /** Acceptor loops have no completion queues and stay as they are. */
  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory threadFactory, int ioRatio) {
    return type == ACCEPTOR_EVENT_LOOP_GROUP ? stock.eventLoopGroup(type, threads, threadFactory, ioRatio)
      : Transport.super.eventLoopGroup(type, threads, threadFactory, ioRatio);
  }

  @Override
  public boolean isAvailable() {
    return stock.isAvailable();
  }

  @Override
  public Throwable unavailabilityCause() {
    return stock.unavailabilityCause();
  }

  @Override
  public boolean supportsDomainSockets() {
    return stock.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return stock.supportFileRegion();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return stock.convert(address);
  }

  @Override
  public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
    return stock.convert(address);
  }

  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return stock.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return stock.datagramChannelFactory();
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return stock.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return stock.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    stock.configure(channel, options);
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
    stock.configure(config, domainSocket, bootstrap);
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
    stock.configure(config, domainSocket, bootstrap);
  }
}
