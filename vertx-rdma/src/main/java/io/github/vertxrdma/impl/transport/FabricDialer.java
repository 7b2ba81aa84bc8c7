package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.BiFunction;

/** Connects to a peer's event bus as soon as a fabric reaches it. Retries. Confined to an event loop. */
final class FabricDialer implements MovableStream.Dialer {
  private final Future<FabricRoutes> starting;
  private final Target target;
  private final EventLoop loop;
  private final BiFunction<FabricRoutes, Route.Fabric, Future<ByteStream>> connect;
  private final Promise<ByteStream> connected = Promise.promise();
  private RouteWatch<ByteStream> watch;
  private boolean stopped;

  FabricDialer(Future<FabricRoutes> starting, Target target, EventLoop loop,
    BiFunction<FabricRoutes, Route.Fabric, Future<ByteStream>> connect) {
    this.starting = starting;
    this.target = target;
    this.loop = loop;
    this.connect = connect;
  }

  @Override
  public Future<ByteStream> dial() {
    starting.onSuccess(this::startWatch);
    return connected.future();
  }

  private void startWatch(FabricRoutes routes) {
    LoopCall.execute(loop, () -> {
      if (!stopped) {
        watch = new RouteWatch<>(routes, target, loop,
          route -> route instanceof Route.Fabric server && server.isBus() ? connect(routes, server) : null);
        watch.start();
      }
    });
  }

  private Future<ByteStream> connect(FabricRoutes routes, Route.Fabric server) {
    return connect.apply(routes, server).onSuccess(connected::complete).onFailure(cause -> startWatch(routes));
  }

  @Override
  public void stop() {
    stopped = true;
    if (watch != null) {
      watch.close();
    }
  }
}
