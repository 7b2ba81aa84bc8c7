package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.impl.loop.StockTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * An event loop's context as a {@link ControlHost}: tasks and timers run on the context. Plain channels in place of Vert.x's servers and
 * clients: they are no part of the application's metrics, and they are TCP also where all servers and clients of the application take the
 * fabric.
 */
final class EventLoopControl implements ControlHost {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final WriteBufferWaterMark WRITE_QUEUE = new WriteBufferWaterMark(ControlSocket.MAX_PAYLOAD,
    2 * ControlSocket.MAX_PAYLOAD);

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final Transport transport;

  EventLoopControl(ContextInternal context) {
    this.vertx = context.owner();
    this.context = context;
    this.transport = StockTransport.of(vertx);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    context.runOnContext(v -> task.run());
  }

  @Override
  public boolean inLoop() {
    return context.inThread();
  }

  @Override
  public Timer schedule(Runnable task, long delay, TimeUnit unit) {
    ScheduledFuture<?> scheduled = context.nettyEventLoop().schedule(() -> context.dispatch(v -> task.run()), delay, unit);
    return () -> scheduled.cancel(false);
  }

  @Override
  public RandomGenerator random() {
    return RANDOM;
  }

  @Override
  public <T> Promise<T> promise() {
    return vertx.getOrCreateContext().promise();
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted) {
    Promise<Listening> promise = context.promise();
    vertx.nameResolver().resolve(host).onFailure(promise::tryFail).onSuccess(ip -> {
      ServerBootstrap bootstrap = new ServerBootstrap()
        .group(context.nettyEventLoop())
        .channelFactory(transport.serverChannelFactory(false))
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE)
        .childHandler(piped(accepted));
      bootstrap.bind(new InetSocketAddress(ip, port)).addListener((ChannelFutureListener) bound -> {
        if (bound.isSuccess()) {
          promise.complete(new ListeningChannel(bound.channel()));
        } else {
          promise.fail(bound.cause());
        }
      });
    });
    return promise.future();
  }

  @Override
  public Future<ControlPipe> connect(String host, int port, int timeoutMillis) {
    PromiseInternal<Void> promise = context.promise();
    ControlPipe[] made = new ControlPipe[1];
    new Bootstrap()
      .group(context.nettyEventLoop())
      .channelFactory(transport.channelFactory(false))
      .resolver(vertx.nameResolver().nettyAddressResolverGroup())
      .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
      .option(ChannelOption.TCP_NODELAY, true)
      .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE)
      .handler(piped(pipe -> made[0] = pipe))
      .connect(InetSocketAddress.createUnresolved(host, port))
      .addListener(promise);
    return promise.future().map(v -> made[0]);
  }

  private ChannelHandler piped(Handler<ControlPipe> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        ChannelPipe pipe = new ChannelPipe(context, channel);
        channel.pipeline().addLast(pipe);
        context.dispatch(pipe, handler);
      }
    };
  }

  private record ListeningChannel(Channel channel) implements Listening {
    @Override
    public int port() {
      return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public Future<Void> close() {
      Promise<Void> promise = Promise.promise();
      channel.close().addListener(closed -> promise.complete());
      return promise.future();
    }
  }
}
