package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.peers.ProductVersion;
import io.github.vertxrdma.impl.poll.ClosingEventLoops;
import io.github.vertxrdma.impl.poll.JdkFailures;
import io.github.vertxrdma.impl.poll.PollPolicies;
import io.github.vertxrdma.impl.poll.RdmaIoHandler;
import io.github.vertxrdma.impl.poll.StockTransport;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * Vert.x transport that wraps a standard one. Its event loops also poll completion queues. Its TCP connections use a fabric if both ends
 * can.
 */
final class RdmaTransport implements Transport, StockTransport {
  private static final IntegerUnixChannelOption IP_MULTICAST_TTL = new IntegerUnixChannelOption("IP_MULTICAST_TTL", 0, 33);
  private static final IntegerUnixChannelOption IPV6_MULTICAST_HOPS = new IntegerUnixChannelOption("IPV6_MULTICAST_HOPS", 41, 18);

  private final Transport stock;
  /** Transport that the application chose: NIO if the stock transport, epoll, replaces it. */
  private final Transport chosen;
  private final PollPolicies policy;
  final TransportOptions options;
  private final VertxBootstrap bootstrap;
  /** Maker of this thread's next channel. Vert.x converts an address immediately before it creates the channel. */
  private final ThreadLocal<TransportNode.Maker> next = new ThreadLocal<>();
  private final ThreadLocal<RdmaAddress> nextServer = new ThreadLocal<>();
  private volatile TransportNode node;

  RdmaTransport(Transport stock, Transport chosen, PollPolicies policy, TransportOptions options, VertxBootstrap bootstrap) {
    this.stock = stock;
    this.chosen = chosen;
    this.policy = policy;
    this.options = options;
    this.bootstrap = bootstrap;
  }

  static String obstacle(Transport transport) {
    if (!PlatformDependent.normalizedOs().equals("linux")) {
      return "this system is not Linux";
    }
    try {
      if (!transport.isAvailable()) {
        return "it is not available: " + transport.unavailabilityCause();
      }
      Class<?> maker = transport.getClass().getMethod("eventLoopGroup", int.class, int.class, ThreadFactory.class, int.class)
        .getDeclaringClass();
      if (maker != Transport.class) {
        return maker.getName() + " creates its event loops itself";
      }
      return transport.ioHandlerFactory() == null ? "it has no I/O handlers" : null;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return "its I/O handlers cannot be created: " + e;
    }
  }

  @Override
  public Transport stock() {
    return stock;
  }

  /** Called before Vert.x publishes the metadata of its event bus, and not if it was built with another transport. */
  void created(VertxInternal vertx) {
    EventBusOptions bus = bootstrap.options().getEventBusOptions();
    if (options.eventBus() && vertx.isClustered()) {
      JsonObject metadata = bus.getClusterNodeMetadata();
      bus.setClusterNodeMetadata((metadata == null ? new JsonObject() : metadata.copy()).put(ClusterMembers.LIBRARY,
        ProductVersion.CURRENT));
    }
    node = new TransportNode(vertx, options, bus, likeChosen(stock.channelFactory(false)));
  }

  private <C extends Channel> ChannelFactory<C> likeChosen(ChannelFactory<C> factory) {
    return stock == chosen ? factory : JdkFailures.of(factory);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return RdmaIoHandler.newFactory(stock.ioHandlerFactory(), policy);
  }

  /** Acceptor loops have no completion queues. */
  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory threadFactory, int ioRatio) {
    try {
      return type == ACCEPTOR_EVENT_LOOP_GROUP ? stock.eventLoopGroup(type, threads, threadFactory, ioRatio)
        : new ClosingEventLoops(threads, threadFactory, ioHandlerFactory());
    } catch (IllegalStateException e) {
      Throwable cause = e.getCause();
      if (cause == null || !RuntimeFolder.isLimit(cause)) {
        throw e;
      }
      throw new IllegalStateException("cannot create " + threads + " event loops: " + cause.getMessage() + ". "
        + RuntimeFolder.remedy(cause) + '.', cause);
    }
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
    TransportNode running = node;
    RdmaAddress fabric = RdmaAddress.of(address);
    if (running != null) {
      next.set(fabric == null ? running.client(address) : running.client(fabric));
      nextServer.set(fabric);
    }
    return fabric == null || running == null ? stock.convert(address) : fabric;
  }

  @Override
  public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
    return stock.convert(address);
  }

  @Override
  @SuppressWarnings("deprecation")
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return stock == chosen ? stock.datagramChannel(family) : likeChosen(() -> new EpollDatagramChannel(family)).newChannel();
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return likeChosen(stock.datagramChannelFactory());
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    next.remove();
    ChannelFactory<? extends Channel> factory = likeChosen(stock.channelFactory(domainSocket));
    return node == null ? factory : () -> newChannel(factory);
  }

  private Channel newChannel(ChannelFactory<? extends Channel> factory) {
    TransportNode.Maker maker = next.get();
    if (maker == null) {
      return factory.newChannel();
    }
    next.remove();
    return maker.make(factory);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    nextServer.remove();
    ChannelFactory<? extends ServerChannel> factory = likeChosen(stock.serverChannelFactory(domainSocket));
    TransportNode running = node;
    if (running == null) {
      return factory;
    }
    if (domainSocket) {
      return () -> newServer(factory, running);
    }
    Supplier<FabricServer> fabric = running.serve();
    return fabric == null ? factory : () -> withFabric(factory, fabric.get());
  }

  private ServerChannel newServer(ChannelFactory<? extends ServerChannel> domainSockets, TransportNode running) {
    boolean fabric = nextServer.get() != null;
    nextServer.remove();
    return fabric ? withFabric(likeChosen(stock.serverChannelFactory(false)), new FabricServer(running, FabricServer.Kind.ALONE, false))
      : domainSockets.newChannel();
  }

  private static ServerChannel withFabric(ChannelFactory<? extends ServerChannel> factory, FabricServer fabric) {
    ServerChannel channel = factory.newChannel();
    channel.pipeline().addLast(fabric);
    return channel;
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    if (stock == chosen) {
      chosen.configure(channel, options);
      return;
    }
    int unicast = channel.config().getTimeToLive();
    chosen.configure(channel, options);
    // Netty's NIO channel sets IP_MULTICAST_LOOP to this value, its epoll channel to the opposite.
    channel.config().setLoopbackModeDisabled(!options.isLoopbackModeDisabled());
    if (options.getMulticastTimeToLive() != -1) {
      // Netty's NIO channel sets the option of multicast, its epoll channel IP_TTL.
      channel.config().setTimeToLive(unicast);
      channel.config().setOption(IP_MULTICAST_TTL, options.getMulticastTimeToLive());
      if (options.isIpV6()) {
        channel.config().setOption(IPV6_MULTICAST_HOPS, options.getMulticastTimeToLive());
      }
    }
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
    chosen.configure(config, domainSocket, bootstrap);
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
    chosen.configure(config, domainSocket, bootstrap);
  }
}
