package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.node.ConnectionProofs.Offer;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Moves a connection when a fabric reaches the node at its other end. Confined to the channel's event loop. */
final class ConnectingMove implements MoveHandler.Owner {
  /** Time in ms after the first question from which failures to recognize the connection are reported. */
  private static final long ACCEPT_MILLIS = 3_000;
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 10_000;

  private final TransportNode node;
  private final String host;
  private final Promise<Void> recognizable = Promise.promise();
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private long askedNanos;
  private RouteWatch<ByteStream> watch;
  private FabricRoutes routes;
  private Route.Fabric server;
  private TcpReason recorded;
  private long pauseMillis = FIRST_PAUSE_MILLIS;
  private boolean ended;
  /** Reports the fabric when it is used for the first time. */
  private Runnable reached;

  /** @param host as given by the application */
  ConnectingMove(TransportNode node, String host) {
    this.node = node;
    this.host = host;
  }

  @Override
  public void connected(MoveHandler handler) {
    if (handler.channel().localAddress() instanceof InetSocketAddress own
      && handler.channel().remoteAddress() instanceof InetSocketAddress other) {
      local = own;
      remote = other;
      node.options.moves().begin(handler, () -> {
        if (watch == null && !handler.stays() && node.startsFor(host, remote, handler)) {
          watch(handler);
        }
      });
    }
  }

  @Override
  public void recognizable() {
    recognizable.tryComplete();
  }

  private Target target() {
    return new Target(host, remote.getAddress(), remote.getPort(), false, System.nanoTime());
  }

  private void watch(MoveHandler handler) {
    EventLoop loop = handler.loop();
    Target target = target();
    watch = new RouteWatch<>(node.startedRoutes(target), target, loop, true, (known, route) -> {
      routes = known;
      return switch (route) {
        case Route.Fabric found when found.moves() -> move(found, handler);
        case Route.Fabric found -> byTcp(found.otherVersion());
        case Route.Tcp tcp -> byTcp(tcp);
        case Route.NotYet wait -> null;
      };
    });
    watch.dial().onSuccess(made -> {
      if (!LoopCall.run(loop, () -> {
        handler.move(made);
        node.measure(handler, server.peer().nodeId(), true);
      })) {
        made.close();
      }
    });
  }

  /** Ends the watch, since no change can lead to a fabric. */
  private static Future<ByteStream> never() {
    return Promise.<ByteStream>promise().future();
  }

  private Future<ByteStream> byTcp(Route.Tcp tcp) {
    if (tcp.reason() != recorded) {
      recorded = tcp.reason();
      routes.byTcp(target(), tcp);
    }
    return tcp.reason() == TcpReason.OTHER_SERVER && !tcp.movable() && !node.options.streams() ? never() : null;
  }

  private Future<ByteStream> move(Route.Fabric to, MoveHandler handler) {
    server = to;
    Promise<Offer> offer = Promise.promise();
    recognizable.future().onSuccess(v -> {
      askedNanos = System.nanoTime();
      ask(to, handler, FIRST_PAUSE_MILLIS, offer);
    });
    return offer.future().compose(made -> node.move(routes, target(), to, handler, made, false, report -> reached = report).onFailure(
      cause -> LoopCall.run(handler.loop(), () -> failed(cause))));
  }

  @Override
  public void moved() {
    reached.run();
    reached = () -> {
    };
  }

  private void failed(Throwable cause) {
    if (!ended) {
      recorded = TcpReason.NOT_REACHED;
      routes.byTcp(target(), routes.failed(server, cause));
    }
  }

  /** Asks until the peer knows. The promise is completed on the channel's loop, and never if the connection cannot move. */
  private void ask(Route.Fabric to, MoveHandler handler, long pause, Promise<Offer> offer) {
    node.ask(to, local, remote, handler).onComplete((made, cause) -> LoopCall.run(handler.loop(), () -> {
      if (made != null) {
        offer.complete(made);
        return;
      }
      Reason reason = cause instanceof RdmaException refused ? refused.reason() : null;
      boolean late = System.nanoTime() - askedNanos > TimeUnit.MILLISECONDS.toNanos(ACCEPT_MILLIS);
      if (cause != null && late && reason != Reason.CLOSED && !ended) {
        byTcp(new Route.Tcp(TcpReason.NOT_PROVEN, to.peer(), cause.getMessage()));
      }
      if (!handler.stays() && reason != Reason.CLOSED && !(late && reason == Reason.NOT_FOUND)) {
        handler.loop().schedule(() -> ask(to, handler, Math.min(2 * pause, LONGEST_PAUSE_MILLIS), offer), pause, TimeUnit.MILLISECONDS);
      }
    }));
  }

  @Override
  public void notMoved(MoveHandler handler, Throwable cause) {
    if (isOfFabric(cause)) {
      failed(cause);
    }
    handler.loop().schedule(() -> {
      if (!ended && !handler.stays()) {
        watch(handler);
      }
    }, pauseMillis, TimeUnit.MILLISECONDS);
    pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
  }

  @Override
  public void lost(MoveHandler handler, Throwable cause) {
    // A fabric that fails again and again must not end each new connection.
    if (isOfFabric(cause)) {
      routes.failed(server, cause);
    }
  }

  /** Returns whether a failure is one of the fabric, rather than of the peer or of this connection. */
  private static boolean isOfFabric(Throwable cause) {
    return cause instanceof RdmaException failure && (failure.reason() == Reason.UNREACHABLE || failure.reason() == Reason.TIMEOUT
      || failure.reason() == Reason.CONNECTION_LOST);
  }

  @Override
  public void disconnected(MoveHandler handler) {
    ended = true;
    if (watch != null) {
      watch.stop();
    }
  }
}
