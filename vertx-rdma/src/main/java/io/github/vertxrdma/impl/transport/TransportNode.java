package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.NodeEntry;
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

/** The part of a Vert.x that takes connections of the network stack over the fabric. Thread-safe. */
final class TransportNode {
  private static final Logger LOG = LoggerFactory.getLogger(TransportNode.class);
  /** The time that a connection waits for the node to start. */
  private static final long START_MILLIS = 10_000;
  /** The time that a connection waits for the directory to tell of a node that has just come. */
  private static final long NEWS_MILLIS = 2000;
  /** The time that a peer has to answer over a fabric before its connection continues by TCP. */
  private static final int ANSWER_MILLIS = 1000;
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
  /** Known before the routes are. */
  private volatile Node started;
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
   * The kind of a server that is being bound; null if it takes no connections over the fabric. The first of a clustered Vert.x is the event
   * bus.
   */
  synchronized FabricServer.Kind serves() {
    boolean bus = options.eventBus() && !busServed && vertx.isClustered() && vertx.clusterManager().getNodeInfo() == null;
    busServed |= bus;
    return bus ? FabricServer.Kind.BUS : options.streams() ? FabricServer.Kind.STREAMS : null;
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
      Connector connector = new Connector(n, context, what, service, new byte[0], options.rdma().getFabric());
      if (besideTcp) {
        connector.besideTcp(ANSWER_MILLIS);
      }
      return connector.peer(route.peer(), route.entry().addresses()).connect((link, choice) -> {
        known.tell(route, "over " + choice);
        TransportCounters.PROCESS.connected();
        InetSocketAddress own = StreamAddresses.of(known.directory().self(), route.peer(), remote.getAddress(),
          StreamAddresses.decode(link.peer().data()));
        LinkStream stream = new LinkStream(link, own).remoteAddress(remote);
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
