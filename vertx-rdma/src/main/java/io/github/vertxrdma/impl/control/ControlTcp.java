package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.impl.loop.StockTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetSocketAddress;

/**
 * TCP for control connections, on one context. Plain channels in place of Vert.x's servers and clients: they are no part of the
 * application's metrics, and they are TCP also where all servers and clients of the application take the fabric.
 */
final class ControlTcp {
  private static final WriteBufferWaterMark WRITE_QUEUE =
    new WriteBufferWaterMark(ControlSocket.MAX_PAYLOAD, 2 * ControlSocket.MAX_PAYLOAD);

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final Transport transport;

  ControlTcp(VertxInternal vertx, ContextInternal context) {
    this.vertx = vertx;
    this.context = context;
    this.transport = StockTransport.of(vertx);
  }

  /** Listens. @param accepted on the context, before anything is read. @return the server's channel */
  Future<Channel> listen(String host, int port, Handler<ControlPipe> accepted) {
    Promise<Channel> promise = context.promise();
    vertx.nameResolver().resolve(host).onFailure(promise::tryFail).onSuccess(ip -> {
      ServerBootstrap bootstrap = new ServerBootstrap()
        .group(context.nettyEventLoop())
        .channelFactory(transport.serverChannelFactory(false))
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE)
        .childHandler(piped(accepted));
      bootstrap.bind(new InetSocketAddress(ip, port)).addListener((io.netty.channel.ChannelFutureListener) bound -> {
        if (bound.isSuccess()) {
          promise.complete(bound.channel());
        } else {
          promise.fail(bound.cause());
        }
      });
    });
    return promise.future();
  }

  /** Connects. @return on the context, before anything is read */
  Future<ControlPipe> connect(String host, int port, int timeoutMillis) {
    Promise<ControlPipe> promise = context.promise();
    ControlPipe[] made = new ControlPipe[1];
    new Bootstrap()
      .group(context.nettyEventLoop())
      .channelFactory(transport.channelFactory(false))
      .resolver(vertx.nameResolver().nettyAddressResolverGroup())
      .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
      .option(ChannelOption.TCP_NODELAY, true)
      .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_QUEUE)
      .handler(piped(pipe -> made[0] = pipe))
      .connect(InetSocketAddress.createUnresolved(host, port)).addListener(connected -> {
        if (connected.isSuccess()) {
          promise.complete(made[0]);
        } else {
          promise.fail(connected.cause());
        }
      });
    return promise.future();
  }

  private ChannelHandler piped(Handler<ControlPipe> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        ControlPipe pipe = new ControlPipe(context, channel);
        channel.pipeline().addLast(pipe);
        context.dispatch(pipe, handler);
      }
    };
  }

  /** Closes a channel, null for none. */
  static Future<Void> close(Channel channel) {
    Promise<Void> promise = Promise.promise();
    if (channel == null) {
      promise.complete();
    } else {
      channel.close().addListener(closed -> promise.complete());
    }
    return promise.future();
  }
}
