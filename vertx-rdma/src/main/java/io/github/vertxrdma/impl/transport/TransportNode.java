package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.transport.FabricRoutes.Route;
import io.github.vertxrdma.impl.wire.Greeting;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The part of a Vert.x that takes connections of the network stack over the fabric. Thread-safe. */
final class TransportNode {
  private static final Logger LOG = LoggerFactory.getLogger(TransportNode.class);
  /** The time that a connection waits for the node to start. */
  private static final long START_MILLIS = 10_000;
  /** The time that a connection waits for the directory to tell of a node that has just come. */
  private static final long NEWS_MILLIS = 2000;
  /** The time that closing waits for channels that somebody else has to close. */
  private static final long CLOSE_MILLIS = 2000;

  private final VertxInternal vertx;
  private final TransportOptions options;
  private final ChannelFactory<? extends Channel> tcp;
  private final TcpAdvice advice = new TcpAdvice();
  private final Promise<Void> closed = Promise.promise();
  private SharedNode node;
  /** Known once the node has started; null before somebody needs the node, and once it is closed. */
  private volatile Future<FabricRoutes> routes;
  private int users;
  private boolean busServed;
  private boolean closing;
  private boolean ended;

  /** @param tcp makes the stock transport's channels */
  TransportNode(VertxInternal vertx, TransportOptions options, ChannelFactory<? extends Channel> tcp) {
    this.vertx = vertx;
    this.options = options;
    this.tcp = tcp;
    vertx.addCloseHook((Completable<Void> done) -> closeWhenUnused().onComplete(done));
    if (options.streams()) {
      node();
    }
  }

  TransportOptions options() {
    return options;
  }

  VertxInternal vertx() {
    return vertx;
  }

  /** The node, started by the first call. */
  synchronized Future<Node> node() {
    if (closing) {
      return Future.failedFuture(new RdmaException(RdmaException.Reason.CLOSED, "this Vert.x is being closed"));
    }
    if (node == null) {
      node = SharedNode.acquire(vertx, options.rdma(), null);
      routes = node.node().map(n -> new FabricRoutes(n.directory()));
    }
    return node.node();
  }

  /** The servers that it reaches, once it has started. */
  Future<FabricRoutes> routes() {
    Future<FabricRoutes> known = routes;
    return known == null ? startedRoutes() : known;
  }

  private synchronized Future<FabricRoutes> startedRoutes() {
    Future<Node> starting = node();
    return routes == null ? starting.mapEmpty() : routes;
  }

  // ---- servers

  /**
   * The kind of a server that is being bound; null if it takes no connections over the fabric. The first of a clustered Vert.x is the event
   * bus.
   */
  synchronized FabricServer.Kind serves() {
    boolean bus = options.eventBus() && !busServed && vertx.isClustered() && vertx.clusterManager().getNodeInfo() == null;
    busServed |= bus;
    return bus ? FabricServer.Kind.BUS : options.streams() ? FabricServer.Kind.STREAMS : null;
  }

  // ---- clients

  /** The way to connect to an address; null if nothing but TCP can serve. */
  RdmaChannel.Dialer dialer(io.vertx.core.net.SocketAddress address) {
    if (!address.isInetSocket()) {
      return null;
    }
    Future<FabricRoutes> starting = routes;
    if (starting == null || starting.failed()) {
      if (starting != null && options.streams()) {
        advice.notStarted(InetSocketAddress.createUnresolved(address.host(), address.port()), starting.cause());
      }
      return null;
    }
    if (!starting.isComplete()) {
      return (channel, remote, local) -> starting.timeout(START_MILLIS, TimeUnit.MILLISECONDS)
        .transform(v -> connect(starting.result(), channel, remote, local));
    }
    FabricRoutes known = starting.result();
    InetAddress ip = RouteNames.literal(address.host());
    // Netty resolves a name before it connects; that is worth waiting for where somebody listens on that port.
    if (ip == null ? known.anyAt(address.port()) : find(known, ip, address.port()) != null) {
      return (channel, remote, local) -> connect(known, channel, remote, local);
    }
    if (ip != null && options.eventBus() && vertx.isClustered() && known.awaitsNews()) {
      return (channel, remote, local) -> known.directory().awaitServices(RouteNames.of(ip, address.port()), Duration.ofMillis(NEWS_MILLIS))
        .transform(v -> connect(known, channel, remote, local));
    }
    if (options.streams()) {
      advice.noServer(InetSocketAddress.createUnresolved(address.host(), address.port()), known.directory());
    }
    return null;
  }

  /** The route that a client takes which does not ask for the fabric; null if there is none. */
  private Route find(FabricRoutes known, InetAddress ip, int port) {
    Route route = known.find(ip, port);
    return route == null || !options.streams() && route.isByRule() ? null : route;
  }

  /** The way to connect to a server of the fabric, which is not to be reached by TCP. */
  RdmaChannel.Dialer dialer(RdmaAddress address) {
    return (channel, remote, local) -> new FabricDial(this, address).connect(channel.eventLoop());
  }

  /**
   * Connects a channel by the route to its remote address, and by TCP where there is none, or the fabric fails and is not forced. On the
   * channel's event loop. @param known null if the node has not started
   */
  private Future<ByteStream> connect(FabricRoutes known, RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    Route route = known != null && remote instanceof InetSocketAddress inet && !inet.isUnresolved()
      ? find(known, inet.getAddress(), inet.getPort()) : null;
    if (route == null) {
      if (options.streams() && known != null && remote instanceof InetSocketAddress inet) {
        advice.noServer(inet, known.directory());
      }
      return byTcp(channel, remote, local);
    }
    return byFabric(known, route, channel.eventLoop(), (InetSocketAddress) remote).recover(cause -> {
      if (options.rdma().getFabric() != null) {
        return Future.failedFuture(cause);
      }
      known.failed(route);
      known.tell(route, "over TCP, since " + cause.getMessage());
      TransportCounters.PROCESS.fellBack();
      return byTcp(channel, remote, local);
    });
  }

  /** Connects by a route. @param remote the other end's address as it was asked for */
  Future<ByteStream> byFabric(FabricRoutes known, Route route, EventLoop loop, InetSocketAddress remote) {
    ContextInternal context = vertx.contextBuilder().withEventLoop(loop).build();
    String what = "server at " + remote + " of node " + route.peer().nodeId();
    String service = Greeting.wanting(route.service());
    return node().compose(n -> new Connector(n, context, what, service, new byte[0], options.rdma().getFabric())
      .peer(route.peer(), route.entry().addresses()).connect((link, choice) -> {
        known.tell(route, "over " + choice);
        TransportCounters.PROCESS.connected();
        InetSocketAddress own = StreamAddresses.of(known.directory().self(), route.peer(), remote.getAddress(),
          StreamAddresses.decode(link.peer().data()));
        LinkStream stream = new LinkStream(link, own).remoteAddress(remote);
        return link.loop().eventLoop() == loop ? stream : new BridgedStream(stream, link.loop().eventLoop(), loop);
      }));
  }

  private Future<ByteStream> byTcp(RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    return TcpStream.connect(channel.eventLoop(), tcp, channel.config().socketOptions(),
      (int) options.rdma().getCloseIdleTimeout().toMillis(), remote,
      local);
  }

  // ---- the end

  /** Something uses the node until its channel is closed. */
  void usedBy(Channel channel) {
    synchronized (this) {
      users++;
    }
    channel.closeFuture().addListener(f -> unused());
  }

  private void unused() {
    boolean last;
    synchronized (this) {
      last = --users == 0 && closing;
    }
    if (last) {
      close();
    }
  }

  /** Hosts channels of the event bus, which closes them itself after all hooks. */
  private Future<Void> closeWhenUnused() {
    boolean now;
    boolean later;
    synchronized (this) {
      closing = true;
      now = users == 0;
      later = busServed;
    }
    if (now) {
      close();
    } else if (later) {
      return Future.succeededFuture();
    } else {
      vertx.setTimer(CLOSE_MILLIS, id -> {
        waitedInVain();
        close();
      });
    }
    return closed.future();
  }

  /**
   * Completes at once, or in a Vert.x that is being closed with the node, whose loops must not end before it. For the event bus. Bounded.
   */
  Future<Void> closedIfClosing() {
    boolean now;
    synchronized (this) {
      if (!closing) {
        return Future.succeededFuture();
      }
      now = users == 0;
    }
    if (now) {
      close();
    }
    Promise<Void> bounded = Promise.promise();
    long timer = vertx.setTimer(CLOSE_MILLIS, id -> {
      waitedInVain();
      bounded.tryComplete();
    });
    closed.future().onComplete(done -> {
      vertx.cancelTimer(timer);
      bounded.tryComplete();
    });
    return bounded.future();
  }

  private synchronized void waitedInVain() {
    if (!ended) {
      LOG.warn(
        "A Vert.x that is being closed waits no longer for its connections over the fabric: " + users + " are open after " + CLOSE_MILLIS
          + " ms");
    }
  }

  private void close() {
    SharedNode running;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      running = node;
      routes = null;
    }
    if (running == null) {
      closed.complete();
    } else {
      running.release().onComplete(done -> closed.complete());
    }
  }
}
