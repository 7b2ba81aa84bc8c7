package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.StockTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/** {@link ControlHost} on an event loop. Uses plain Netty channels, because Vert.x channels may run over a fabric. */
class EventLoopControl extends EventLoopHost implements ControlHost {
  /** False in a jlink image without the module jdk.net. NIO channels then use the keep-alive times of the system. */
  private static final boolean HAS_NIO_OPTIONS = ModuleLayer.boot().findModule("jdk.net").isPresent();
  private static final WriteBufferWaterMark WRITE_QUEUE = new WriteBufferWaterMark(ControlSocket.MAX_PAYLOAD,
    2 * ControlSocket.MAX_PAYLOAD);

  private static final int KEEP_ALIVES = 4;
  /** Maximum that Linux accepts for TCP_KEEPIDLE and TCP_KEEPINTVL. */
  private static final int LONGEST_KEEP_ALIVE_SECONDS = 32_767;
  /** Prefixes of names of channel options, whose classes may be absent. */
  private static final List<String> NATIVE_OPTIONS = List.of("io.netty.channel.epoll.EpollChannelOption",
    "io.netty.channel.uring.IoUringChannelOption");

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final Transport transport;
  private final int keepAliveSeconds;

  EventLoopControl(ContextInternal context, long deadMillis) {
    super(context);
    this.vertx = context.owner();
    this.context = context;
    this.keepAliveSeconds = Math.clamp(deadMillis / 1000 / (2 + KEEP_ALIVES), 1, LONGEST_KEEP_ALIVE_SECONDS);
    this.transport = StockTransport.of(vertx);
  }

  @Override
  public void execute(Runnable task) {
    context.runOnContext(v -> task.run());
  }

  @Override
  public Deadline schedule(Runnable task, long delay, TimeUnit unit) {
    return super.schedule(() -> context.dispatch(v -> task.run()), delay, unit);
  }

  @Override
  public <T> Promise<T> promise() {
    return LoopCall.promise(vertx);
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted) {
    InetSocketAddress address = address(host, port);
    return (address.isUnresolved() ? vertx.nameResolver().resolve(host).map(ip -> new InetSocketAddress(ip, port))
      : Future.succeededFuture(address)).compose(resolved -> bind(false, resolved, accepted))
      .map(channel -> new Listening(((InetSocketAddress) channel.localAddress()).getPort(), () -> close(channel)));
  }

  final Future<Channel> bind(boolean domain, SocketAddress address, Handler<ControlPipe> accepted) {
    PromiseInternal<Void> promise = context.promise();
    ServerBootstrap bootstrap = new ServerBootstrap().group(context.nettyEventLoop())
      .channelFactory(transport.serverChannelFactory(domain))
      .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE).childHandler(piped(domain, accepted));
    if (!domain) {
      bootstrap.option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true);
    }
    ChannelFuture bound = bootstrap.bind(address).addListener(promise);
    return promise.future().map(v -> bound.channel());
  }

  @Override
  public Future<ControlPipe> connect(String host, int port, int timeoutMillis) {
    return connect(false, address(host, port), timeoutMillis);
  }

  /** Parses an IP address. Leaves a host name unresolved, because resolving one loads the resolver. */
  private static InetSocketAddress address(String host, int port) {
    // NetUtil drops the zone of an IPv6 address.
    InetAddress ip = host.indexOf('%') >= 0 ? null : NetUtil.createInetAddressFromIpAddressString(host);
    return ip == null ? InetSocketAddress.createUnresolved(host, port) : new InetSocketAddress(ip, port);
  }

  final Future<ControlPipe> connect(boolean domain, SocketAddress address, int timeoutMillis) {
    PromiseInternal<Void> promise = context.promise();
    ControlPipe[] made = new ControlPipe[1];
    Bootstrap bootstrap = new Bootstrap().group(context.nettyEventLoop()).channelFactory(transport.channelFactory(domain))
      .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis).option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE)
      .handler(piped(domain, pipe -> made[0] = pipe));
    if (!domain) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
    if (address instanceof InetSocketAddress ip && ip.isUnresolved()) {
      bootstrap.resolver(vertx.nameResolver().nettyAddressResolverGroup());
    } else {
      bootstrap.disableResolver();
    }
    bootstrap.connect(address).addListener(promise);
    return promise.future().map(v -> made[0]);
  }

  final SocketAddress domain(Path path) {
    // A transport without native domain sockets uses channels of the JDK.
    return transport.supportsDomainSockets() ? transport.convert(io.vertx.core.net.SocketAddress.domainSocketAddress(path.toString()))
      : UnixDomainSocketAddress.of(path);
  }

  private ChannelHandler piped(boolean domain, Handler<ControlPipe> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        if (!domain) {
          keepAlive(channel);
        }
        ChannelPipe pipe = new ChannelPipe(channel);
        channel.pipeline().addLast(pipe);
        context.dispatch(pipe, handler);
      }
    };
  }

  /**
   * Makes the kernel end a connection when the peer's host no longer answers. The host of a stopped process answers. On Linux,
   * TCP_USER_TIMEOUT also ends a connection whose peer's window stays closed. The nodes then connect again.
   */
  private void keepAlive(Channel channel) {
    ChannelConfig config = channel.config();
    config.setOption(ChannelOption.SO_KEEPALIVE, true);
    if (channel instanceof AbstractNioChannel && HAS_NIO_OPTIONS) {
      config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), keepAliveSeconds);
      config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), keepAliveSeconds);
      config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEP_ALIVES);
    }
    for (String options : NATIVE_OPTIONS) {
      config.setOption(ChannelOption.valueOf(options + "#TCP_KEEPIDLE"), keepAliveSeconds);
      config.setOption(ChannelOption.valueOf(options + "#TCP_KEEPINTVL"), keepAliveSeconds);
      config.setOption(ChannelOption.valueOf(options + "#TCP_KEEPCNT"), KEEP_ALIVES);
      config.setOption(ChannelOption.valueOf(options + "#TCP_USER_TIMEOUT"), 1000 * keepAliveSeconds * (1 + KEEP_ALIVES));
    }
  }

  static Future<Void> close(Channel channel) {
    Promise<Void> promise = Promise.promise();
    channel.close().addListener(closed -> promise.complete());
    return promise.future();
  }

  private final class ChannelPipe extends ChannelInboundHandlerAdapter implements ControlPipe {
    private final Channel channel;
    private Handler<Buffer> handler = data -> {};
    private Handler<Throwable> closeHandler = cause -> {};
    private Throwable failure;

    ChannelPipe(Channel channel) {
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
    public boolean isNear() {
      return channel.localAddress() instanceof InetSocketAddress local && remoteAddress() instanceof InetSocketAddress remote
        && (remote.getAddress().isLoopbackAddress() || remote.getAddress().equals(local.getAddress()));
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
}
