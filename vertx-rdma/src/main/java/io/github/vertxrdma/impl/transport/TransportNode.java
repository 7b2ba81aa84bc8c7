package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.ClosingEventLoops;
import io.github.vertxrdma.impl.loop.ClosingEventLoops.Phase;
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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The part of a Vert.x that takes connections of the network stack over the fabric. Thread-safe. */
final class TransportNode {
  private static final Logger LOG = LoggerFactory.getLogger(TransportNode.class);
  /** The time that a connection waits for the node to start. */
  private static final long START_MILLIS = 10_000;
  /** The time that a connection waits for the directory to tell of a node that has just come. */
  private static final long NEWS_MILLIS = 2000;
  /** The time that a peer has to answer over a fabric before its connection continues by TCP. */
  private static final int ANSWER_MILLIS = 1000;
  /** The time that peers have to answer the closes of links before the node is closed. */
  private static final long LINKS_MILLIS = 1000;

  private final VertxInternal vertx;
  private final TransportOptions options;
  private final ChannelFactory<? extends Channel> tcp;
  private final TcpAdvice advice = new TcpAdvice();
  private final ClosingLimit limit = new ClosingLimit();
  /** Completes when this Vert.x is closing and no link is open. */
  private final Promise<Void> streamsClosed = Promise.promise();
  private SharedNode node;
  /** Known once the node has started; null before somebody needs the node, and once it is closed. */
  private volatile Future<FabricRoutes> routes;
  /** Known before the routes are. */
  private volatile Node started;
  private int streams;
  private boolean busServed;
  private boolean closing;

  /** @param tcp makes the stock transport's channels */
  TransportNode(VertxInternal vertx, TransportOptions options, ChannelFactory<? extends Channel> tcp) {
    this.vertx = vertx;
    this.options = options;
    this.tcp = tcp;
    // Verticles are undeployed after this hook: their stop() may use connections, and open others.
    vertx.addCloseHook((Completable<Void> done) -> {
      limit.begin();
      done.succeed();
    });
    ClosingEventLoops.add(vertx, Phase.CLUSTER, done -> leave().onComplete(done));
    ClosingEventLoops.add(vertx, Phase.LOOPS, done -> release().onComplete(done));
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
      routes = node.node().map(n -> {
        started = n;
        return new FabricRoutes(n.directory());
      });
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
   * Returns what makes the handler of a server that is being bound, or null if it takes no connections over the fabric. The first server of
   * a clustered Vert.x is that of the event bus.
   */
  synchronized Supplier<FabricServer> serve() {
    boolean bus = !busServed && vertx.isClustered() && vertx.clusterManager().getNodeInfo() == null;
    busServed |= bus;
    FabricServer.Kind kind = bus && options.eventBus() ? FabricServer.Kind.BUS : options.streams() ? FabricServer.Kind.STREAMS : null;
    return kind == null ? null : () -> new FabricServer(this, kind, bus);
  }

  // ---- clients

  /** Returns the way to connect to an address, or null for a stock channel, if TCP serves and its bytes need no check. */
  RdmaChannel.Dialer dialer(io.vertx.core.net.SocketAddress address) {
    if (!address.isInetSocket()) {
      return null;
    }
    Future<FabricRoutes> starting = routes;
    if (starting == null || starting.failed()) {
      if (starting != null && options.streams()) {
        advice.notStarted(unresolved(address), starting.cause());
      }
      return null;
    }
    if (!starting.isComplete()) {
      return (channel, remote, local) -> starting.timeout(START_MILLIS, TimeUnit.MILLISECONDS)
        .transform(v -> connect(starting.result(), channel, remote, local));
    }
    FabricRoutes known = starting.result();
    InetAddress ip = RouteNames.literal(address.host());
    if (ip == null) {
      return dialer(known, address);
    }
    Route route = find(known, ip, address.port());
    if (route != null) {
      return takesFabric(known, route) ? (channel, remote, local) -> connect(known, route, channel, remote, local) : tcpDialer();
    }
    if (options.eventBus() && vertx.isClustered() && known.awaitsNews(this::mayTakeFabric)) {
      return (channel, remote, local) -> known.directory().awaitServices(RouteNames.of(ip, address.port()), Duration.ofMillis(NEWS_MILLIS))
        .transform(v -> connect(known, channel, remote, local));
    }
    if (options.streams()) {
      advice.noServer(unresolved(address), known.directory());
    }
    return null;
  }

  /** Returns the way to connect to a name. Netty resolves it before it connects: that is waited for if a fabric may be the answer. */
  private RdmaChannel.Dialer dialer(FabricRoutes known, io.vertx.core.net.SocketAddress address) {
    List<Route> servers = known.at(address.port()).stream().filter(this::isForClients).toList();
    if (servers.stream().anyMatch(server -> server.isFabricOnly() || mayTakeFabric(server.peer()))) {
      return (channel, remote, local) -> connect(known, channel, remote, local);
    }
    if (!servers.isEmpty()) {
      return tcpDialer();
    }
    if (options.streams()) {
      advice.noServer(unresolved(address), known.directory());
    }
    return null;
  }

  private static InetSocketAddress unresolved(io.vertx.core.net.SocketAddress address) {
    return InetSocketAddress.createUnresolved(address.host(), address.port());
  }

  /** Returns the way to connect by TCP to a server that a fabric would reach; null for a stock channel, if nothing forbids plaintext. */
  private RdmaChannel.Dialer tcpDialer() {
    return options.rdma().isRequireEncryption() ? this::byTcp : null;
  }

  /** Returns the route that a client takes which does not ask for the fabric, or null if there is none. */
  private Route find(FabricRoutes known, InetAddress ip, int port) {
    Route route = known.find(ip, port);
    return route != null && isForClients(route) ? route : null;
  }

  /** Returns whether clients of this Vert.x that do not ask for the fabric take a route. */
  private boolean isForClients(Route route) {
    return options.streams() || !route.isByRule();
  }

  private boolean isForced() {
    return options.rdma().getFabric() != null;
  }

  /** Returns whether a connection to a node may take a fabric, as far as the hosts of both ends decide it. */
  private boolean mayTakeFabric(NodeEntry peer) {
    return isForced() || started.mayReachBeyondSockets(peer);
  }

  /**
   * Returns whether a connection takes a fabric by a route. TCP serves as well as a fabric that is a socket of the kernel, and a process
   * that ends can lose on such a fabric what TCP would still deliver.
   */
  private boolean takesFabric(FabricRoutes known, Route route) {
    if (isForced() || route.isFabricOnly()) {
      return true;
    }
    if (known.failedLately(route)) {
      return false;
    }
    String why = Connector.onlySockets(started, route.peer(), route.entry().addresses());
    if (why != null) {
      known.tell(route, "over TCP, since no fabric that is more than a socket of the kernel reaches it: " + why);
    }
    return why == null;
  }

  /** The way to connect to a server of the fabric, which is not to be reached by TCP. */
  RdmaChannel.Dialer dialer(RdmaAddress address) {
    return (channel, remote, local) -> new FabricDial(this, address).connect(channel.eventLoop());
  }

  /**
   * Connects a channel by the route to its remote address, or by TCP if there is none that it takes. Called on the channel's event loop.
   *
   * @param known null if the node has not started
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
    return takesFabric(known, route) ? connect(known, route, channel, remote, local) : byTcp(channel, remote, local);
  }

  /** Connects a channel by a route, or by TCP if the fabric fails or does not answer, and TCP is permitted. */
  private Future<ByteStream> connect(FabricRoutes known, Route route, RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    boolean alone = isForced() || route.isFabricOnly();
    return byFabric(known, route, channel.eventLoop(), (InetSocketAddress) remote, !alone).recover(cause -> {
      if (alone) {
        return Future.failedFuture(cause);
      }
      known.failed(route);
      known.tell(route, "over TCP, since " + cause.getMessage());
      TransportCounters.PROCESS.fellBack();
      return byTcp(channel, remote, local);
    });
  }

  /**
   * Connects by a route.
   *
   * @param remote the other end's address as it was asked for
   * @param besideTcp whether TCP serves if no fabric is worth it or answers in time
   */
  Future<ByteStream> byFabric(FabricRoutes known, Route route, EventLoop loop, InetSocketAddress remote, boolean besideTcp) {
    ContextInternal context = vertx.contextBuilder().withEventLoop(loop).build();
    String what = "server at " + remote + " of node " + route.peer().nodeId();
    String service = Greeting.wanting(route.service());
    return node().compose(n -> {
      Connector connector = new Connector(n, context, what, service, LinkStream.promiseToConfirm(), options.rdma().getFabric());
      if (besideTcp) {
        connector.besideTcp(ANSWER_MILLIS);
      }
      return connector.peer(route.peer(), route.entry().addresses()).connect((link, choice) -> {
        known.tell(route, "over " + choice);
        TransportCounters.PROCESS.connected();
        InetSocketAddress own = StreamAddresses.of(known.directory().self(), route.peer(), remote.getAddress(),
          StreamAddresses.decode(link.peer().data()));
        LinkStream stream = stream(link, own).remoteAddress(remote).confirm();
        return link.loop().eventLoop() == loop ? stream : new BridgedStream(stream, link.loop().eventLoop(), loop);
      });
    });
  }

  private Future<ByteStream> byTcp(RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    return TcpStream.connect(channel.eventLoop(), tcp, channel.config().socketOptions(), closeIdleMillis(), remote, local);
  }

  /** Makes a stream of a TCP channel that a server accepted and no event loop has. */
  TcpStream accepted(Channel channel) {
    return TcpStream.accepted(channel, closeIdleMillis());
  }

  private int closeIdleMillis() {
    return (int) options.rdma().getCloseIdleTimeout().toMillis();
  }

  /** Makes the stream of a link. When the node is closed, it first waits for the ends of these links, at most {@link #LINKS_MILLIS}. */
  LinkStream stream(Link link, InetSocketAddress local) {
    synchronized (this) {
      streams++;
    }
    return new LinkStream(link, local, this::streamClosed);
  }

  // ---- the end

  /** Returns the limit of the time that channels have when this Vert.x is closed. */
  ClosingLimit closingLimit() {
    return limit;
  }

  private void streamClosed() {
    synchronized (this) {
      if (--streams > 0 || !closing) {
        return;
      }
    }
    streamsClosed.tryComplete();
  }

  /** Leaves the cluster when the peers have answered the closes of all links, or had time to. Nothing can be connected afterwards. */
  private Future<Void> leave() {
    SharedNode running;
    synchronized (this) {
      closing = true;
      running = node;
      if (streams == 0) {
        streamsClosed.tryComplete();
      }
    }
    return running == null ? Future.succeededFuture()
      : streamsClosed.future().timeout(LINKS_MILLIS, TimeUnit.MILLISECONDS).transform(v -> running.node())
        .transform(started -> started.succeeded() ? started.result().leave() : Future.succeededFuture());
  }

  private Future<Void> release() {
    limit.report();
    SharedNode running;
    synchronized (this) {
      running = node;
      routes = null;
    }
    return running == null ? Future.succeededFuture() : running.release();
  }
}
