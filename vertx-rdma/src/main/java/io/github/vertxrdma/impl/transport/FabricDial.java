package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A connection to a server of the fabric by host and port, or a failure that says why there is none: TCP is no answer here. */
final class FabricDial {
  /** The time that a server may take to appear in the directory. */
  private static final long PATIENCE_MILLIS = 2_000;

  private final TransportNode node;
  private final RdmaAddress address;

  FabricDial(TransportNode node, RdmaAddress address) {
    this.node = node;
    this.address = address;
  }

  Future<ByteStream> connect(EventLoop loop) {
    try {
      int port = address.port();
      return node.vertx().nameResolver().resolve(address.host()).compose(ip -> node.routes().compose(known -> known.directory()
        .awaitServices(RouteNames.of(ip, port),
          Duration.ofMillis(Math.max(PATIENCE_MILLIS, 2 * node.options().publicationMillis(known.directory()))))
        .transform(found -> route(known, ip, port))
        .compose(route -> node.byFabric(known, route, loop, new InetSocketAddress(ip, port), false))));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<FabricRoutes.Route> route(FabricRoutes known, InetAddress ip, int port) {
    List<FabricRoutes.Route> routes = known.all(ip, port);
    return switch (routes.size()) {
      case 1 -> Future.succeededFuture(routes.getFirst());
      case 0 -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND, "no server at " + address + " (" + ip.getHostAddress()
        + ") is in the directory; it must listen on an rdma:// address, or with the transport's streams, and know the same directory"));
      default -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND, address + " is the address of several nodes, "
        + String.join(" and ", routes.stream().map(route -> route.peer().nodeId()).toList()) + "; use one that only one of them has"));
    };
  }
}
