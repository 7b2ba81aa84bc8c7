package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.ConnectionProofs.Offer;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.poll.ClosingEventLoops;
import io.github.vertxrdma.impl.poll.ClosingEventLoops.Phase;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.github.vertxrdma.provider.Device;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

final class TransportNode {
  private static final Logger LOG = LoggerFactory.getLogger(TransportNode.class);
  private static final long START_MILLIS = 10_000;
  private static final int ANSWER_MILLIS = 1000;
  private static final long LINKS_MILLIS = 1000;

  final VertxInternal vertx;
  final TransportOptions options;
  private final ChannelFactory<? extends Channel> tcp;
  private final EventBusOptions bus;
  final ClosingLimit closingLimit = new ClosingLimit();
  private final Set<Future<Void>> streams = ConcurrentHashMap.newKeySet();
  private SharedNode node;
  private ClusterMembers members;
  /** Null until a connection, a server or a setting needs the node. */
  private volatile Future<FabricRoutes> startedRoutes;
  /** Null until the node has started. */
  private volatile Node started;
  /** Tasks for the node's start, first those of servers. Guarded by this. */
  private final LinkedHashSet<Handler<Node>> waiting = new LinkedHashSet<>();
  private boolean busServed;
  private boolean closing;

  /** Server that a connection must reach over a fabric. */
  record Server(FabricRoutes routes, Target target, Route.Fabric route) {
    RdmaException refusal(TransportNode node, TcpReason reason, String why) {
      return FabricRoutes.refusal(target.toString(), target.rdma() ? null : node.options.rdma().getFabric(),
        new Route.Tcp(reason, route.peer(), why));
    }
  }

  private final Map<String, PeerMeasure> measures = new ConcurrentHashMap<>();

  TransportNode(VertxInternal vertx, TransportOptions options, EventBusOptions bus, ChannelFactory<? extends Channel> tcp) {
    this.vertx = vertx;
    this.options = options;
    this.bus = bus;
    this.tcp = tcp;
    // Runs before verticles stop, which may still use connections.
    vertx.addCloseHook((Completable<Void> done) -> {
      closingLimit.begin();
      done.succeed();
    });
    ClosingEventLoops.add(vertx, Phase.CLUSTER, done -> leave().onComplete(done));
    ClosingEventLoops.add(vertx, Phase.LOOPS, done -> release().onComplete(done));
    if (options.streams()) {
      node();
    }
  }

  /** Returns whether the node starts at once, rather than when a connection of the event bus could gain by a fabric. */
  boolean isEager() {
    // Other processes find servers of streams by the directory. With requireEncryption, only a node distinguishes peers from other servers.
    return options.streams() || isForced() || options.rdma().isRequireEncryption() || options.moves().isImmediate();
  }

  synchronized Future<Node> node() {
    if (closing) {
      return Future.failedFuture(new RdmaException(RdmaException.Reason.CLOSED, "this Vert.x is being closed"));
    }
    if (node == null) {
      options.used();
      node = SharedNode.acquire(vertx, options.rdma(), null);
      startedRoutes = node.node().map(this::started).onFailure(this::notStarted);
    }
    return node.node();
  }

  /** Runs a task on any thread when the node has started, which may never happen. */
  void whenStarted(Handler<Node> task) {
    if (started == null) {
      synchronized (this) {
        if (started == null) {
          waiting.add(task);
          return;
        }
      }
    }
    task.handle(started);
  }

  void forget(Handler<Node> task) {
    if (started == null) {
      synchronized (this) {
        waiting.remove(task);
      }
    }
  }

  private FabricRoutes started(Node by) {
    if (!isForced() && (vertx.isClustered() && options.eventBus() || options.streams()) && by.devices.ranked().stream()
      .allMatch(device -> device.reach() != Device.Reach.NETWORK || device.capabilities().kernelSocket())) {
      LOG.info("The event bus and streams use TCP to other hosts: the only fabrics of this node that reach other hosts are sockets "
        + "of the kernel");
    }
    FabricRoutes routes = new FabricRoutes(by.directory(), members(), options,
      (peer, addresses) -> by.mayReachBeyondSockets(peer, addresses) ? Connector.onlySockets(by, peer, addresses) : "", by.ways,
      this::knock, System::nanoTime);
    // The caller's context would end with its verticle.
    ContextInternal context = vertx.contextBuilder().withEventLoop(vertx.getOrCreateContext().nettyEventLoop()).build();
    LoopCall.execute(context, () -> {
      by.directory().watch(routes::changed);
      List<Handler<Node>> tasks;
      synchronized (this) {
        started = by;
        // The connections of a server are known before peers find the server.
        tasks = List.copyOf(waiting.reversed());
        waiting.clear();
      }
      tasks.forEach(task -> task.handle(by));
    });
    by.devicesHandler(routes::changed);
    return routes;
  }

  /** Returns whether the node has started, or is starting. */
  boolean isStarting() {
    return startedRoutes != null;
  }

  private synchronized ClusterMembers members() {
    if (members == null) {
      members = new ClusterMembers(vertx.isClustered() && options.eventBus() ? vertx.clusterManager() : null);
    }
    return members;
  }

  private void notStarted(Throwable cause) {
    if (!isForced() && !(cause instanceof RdmaException exception && exception.reason() == RdmaException.Reason.CLOSED)) {
      LOG.warn("The event bus and streams of this Vert.x use TCP, since RDMA did not start: " + cause.getMessage());
    }
  }

  /** Returns the routes when RDMA has started. Counts a connection of the event bus that waits for them in vain. */
  Future<FabricRoutes> startedRoutes(Target target) {
    Future<FabricRoutes> starting = routes();
    if (!starting.succeeded()) {
      members().queryUnknown();
      starting.timeout(START_MILLIS, TimeUnit.MILLISECONDS).onFailure(cause -> {
        if (!members().at(target.host(), target.ip(), target.port()).isEmpty()) {
          TransportCounters.PROCESS.tookTcp(TcpReason.NOT_STARTED);
        }
      });
    }
    return starting;
  }

  Future<FabricRoutes> routes() {
    Future<FabricRoutes> known = startedRoutes;
    return known == null ? startRoutes() : known;
  }

  private synchronized Future<FabricRoutes> startRoutes() {
    Future<Node> starting = node();
    return startedRoutes == null ? starting.mapEmpty() : startedRoutes;
  }

  /** Returns null if the server uses TCP only. The first server of a clustered Vert.x is its event bus. */
  synchronized Supplier<FabricServer> serve() {
    boolean bus = !busServed && vertx.isClustered() && vertx.clusterManager().getNodeInfo() == null;
    busServed |= bus;
    FabricServer.Kind kind = bus && options.eventBus() ? FabricServer.Kind.BUS : options.streams() ? FabricServer.Kind.STREAMS : null;
    return kind == null ? null : () -> new FabricServer(this, kind, bus);
  }

  Future<InetSocketAddress> busAddress(InetSocketAddress bound) {
    int port = bus.getClusterPublicPort() > 0 ? bus.getClusterPublicPort() : bound.getPort();
    // Same order as in Vert.x's ClusteredEventBus.
    String host = Stream.of(bus.getClusterPublicHost(), bus.getHost(), vertx.clusterManager().clusterPublicHost())
      .filter(Objects::nonNull).findFirst().orElse(bound.getAddress().getHostAddress());
    return Node.resolve(vertx, host, options.rdma()).map(ip -> ip.isAnyLocalAddress() ? null : new InetSocketAddress(ip, port))
      .otherwiseEmpty();
  }

  /** Makes the channel of a client. */
  @FunctionalInterface
  interface Maker {
    Channel make(ChannelFactory<? extends Channel> stock);
  }

  /** Returns null for a stock channel. */
  Maker client(io.vertx.core.net.SocketAddress address) {
    Future<FabricRoutes> starting = startedRoutes;
    if (!address.isInetSocket() || (starting == null ? isEager() : starting.failed() && !isForced())) {
      return null;
    }
    boolean other = (isForced() || options.rdma().isRequireEncryption()) && starting.succeeded() && isOther(starting.result(), address);
    if (isForced()) {
      return other ? null : stock -> forced(stock, address.host());
    }
    boolean requiresTls = options.rdma().isRequireEncryption() && !other;
    return !requiresTls && !mayMove(address) ? null : stock -> {
      Channel channel = stock.newChannel();
      new MoveHandler(new ConnectingMove(this, address.host()), closingLimit, requiresTls, false).addTo(channel);
      return channel;
    };
  }

  /** Returns the maker for an address of a fabric, whose channels use TCP to open it. */
  Maker client(RdmaAddress address) {
    return stock -> forced(tcp, null);
  }

  private Channel forced(ChannelFactory<? extends Channel> factory, String host) {
    Channel channel = factory.newChannel();
    new MoveHandler(new ForcedMove(this, host), closingLimit, options.rdma().isRequireEncryption(), true).addTo(channel);
    return channel;
  }

  private boolean mayMove(io.vertx.core.net.SocketAddress address) {
    if (options.streams()) {
      return true;
    }
    InetAddress ip = RouteNames.literal(address.host());
    if (!members().at(address.host(), ip, address.port()).isEmpty()) {
      return true;
    }
    if (!isStarting()) {
      members().queryUnknown();
    }
    return members().mayHaveBusAt(address.host(), ip, address.port());
  }

  /** Returns whether the node has started, or should for a busy connection. Keeps a connection that leads to no member on TCP. */
  boolean startsFor(String host, InetSocketAddress server, MoveHandler handler) {
    if (isStarting() || !members().at(host, server.getAddress(), server.getPort()).isEmpty()) {
      return isStarting() || !closingLimit.hasBegun();
    }
    if (!members().queryUnknown() && !members().mayHaveBusAt(host, server.getAddress(), server.getPort())) {
      handler.stay();
    }
    return false;
  }

  /** Returns whether the directory and the cluster know no server at an address. */
  private static boolean isOther(FabricRoutes routes, io.vertx.core.net.SocketAddress address) {
    InetAddress ip = RouteNames.literal(address.host());
    if (ip == null) {
      return !routes.mayBePeer(address.host(), address.port());
    }
    Target target = new Target(address.host(), ip, address.port(), false, System.nanoTime());
    return routes.route(target) instanceof Route.Tcp tcp && !tcp.movable() && tcp.reason() == TcpReason.OTHER_SERVER
      && routes.byTcp(target, tcp) == null;
  }

  /** Lets the traffic with a peer decide when its connections use the fabric, if the setting says so. One of both nodes measures it. */
  void measure(MoveHandler handler, String peer, boolean connected) {
    if (options.moves().isMeasured()) {
      node().map(Node::directory).onSuccess(directory -> LoopCall.run(handler.loop(), () -> {
        String own = directory.nodeId();
        boolean decides = own.equals(peer) ? connected : own.compareTo(peer) < 0;
        ProcessIdentity process = directory.node(peer).map(NodeEntry::process).orElse(null);
        handler.measure(!decides ? null : measures.compute(peer, (id, known) -> known != null && known.isOf(process) ? known
          : new PeerMeasure(handler.loop(), process, new OtherLoad(directory.self().process(), process))));
        measures.keySet().removeIf(each -> !each.equals(peer) && directory.node(each).isEmpty());
      }));
    }
  }

  boolean isForced() {
    return options.rdma().getFabric() != null;
  }

  /**
   * Finds the server of a connection that must use a fabric.
   *
   * @param host null for an address of a fabric
   * @return null if TCP serves the connection, since neither the directory nor the cluster knows the server
   */
  Future<Server> find(String host, SocketAddress remote, EventLoop loop) {
    if (remote instanceof RdmaAddress fabric) {
      return fabric.resolve(vertx, options.rdma()).compose(inet -> routes().compose(routes -> find(routes,
        new Target(fabric.host(), inet.getAddress(), inet.getPort(), true, System.nanoTime()), loop)));
    }
    Future<FabricRoutes> starting = routes();
    if (!starting.isComplete()) {
      // Starts queries for cluster members, in case the node does not start in time.
      members().queryUnknown();
    }
    return starting.timeout(START_MILLIS, TimeUnit.MILLISECONDS).transform(started -> {
      if (started.succeeded()) {
        return remote instanceof InetSocketAddress inet && !inet.isUnresolved()
          ? find(started.result(), new Target(host, inet.getAddress(), inet.getPort(), false, System.nanoTime()), loop)
          : Future.succeededFuture();
      }
      TransportCounters.PROCESS.tookTcp(TcpReason.NOT_STARTED);
      return Future.failedFuture(FabricRoutes.refusal(String.valueOf(remote), options.rdma().getFabric(),
        new Route.Tcp(TcpReason.NOT_STARTED, "", "", "RDMA did not start: " + started.cause().getMessage())));
    });
  }

  /** Makes the node of a member's event bus start: a TCP connection that ends before its first byte. */
  private void knock(InetSocketAddress bus) {
    new Bootstrap().group(vertx.getOrCreateContext().nettyEventLoop()).channelFactory(tcp).handler(new ChannelInboundHandlerAdapter())
      .connect(bus).addListener((ChannelFuture made) -> {
        if (made.isSuccess()) {
          made.channel().close();
        }
      });
  }

  private static Future<Server> find(FabricRoutes routes, Target target, EventLoop loop) {
    return LoopCall.on(loop, () -> new RouteWatch<Server>(Future.succeededFuture(routes), target, loop, false, (known, route) -> {
      Route.Tcp tcp = switch (route) {
        case Route.NotYet wait -> null;
        case Route.Tcp found -> found;
        case Route.Fabric found -> found.opens() ? null : found.otherVersion();
      };
      if (tcp != null) {
        RdmaException refused = known.byTcp(target, tcp);
        return refused == null ? Future.succeededFuture() : Future.failedFuture(refused);
      }
      return route instanceof Route.Fabric found ? Future.succeededFuture(new Server(known, target, found)) : null;
    }).dial());
  }

  /** Asks the node at the other end of a handler's connection for a stream. @return null if it does not know yet */
  Future<Offer> ask(Route.Fabric server, InetSocketAddress local, InetSocketAddress remote, MoveHandler handler) {
    return node().compose(n -> n.connections().ask(server.peer(), local, remote, handler.prefix(), handler.loop(), ANSWER_MILLIS));
  }

  /**
   * @param mustMove true if the connection cannot use TCP instead
   * @param reached takes a report for the first use of the fabric
   */
  Future<ByteStream> move(FabricRoutes routes, Target target, Route.Fabric server, MoveHandler handler, Offer offer, boolean mustMove,
    Consumer<Runnable> reached) {
    EventLoop loop = handler.loop();
    InetSocketAddress remote = target.address();
    String what = "server at " + remote + " of node " + server.peer().nodeId();
    ContextInternal context = vertx.contextBuilder().withEventLoop(loop).build();
    return node().compose(n -> {
      Connector connector = new Connector(n, context, what, ConnectionProofs.SERVICE, offer.data(),
        mustMove ? options.rdma().getFabric() : null);
      return (mustMove ? connector : connector.besideTcp(ANSWER_MILLIS)).peer(server.peer(), offer.addresses()).connect((link, choice) -> {
        reached.accept(() -> {
          routes.reached(target, server, choice.device(), choice);
          TransportCounters.PROCESS.connected.increment();
        });
        return moved(link, remote, loop);
      });
    });
  }

  /** Returns a link's stream for a connection on an event loop. Must be called on the link's loop. */
  ByteStream moved(Link link, InetSocketAddress remote, EventLoop loop) {
    Promise<Void> closed = Promise.promise();
    // The node's close waits at most 1 s for the stream's.
    streams.add(closed.future());
    LinkStream stream = new LinkStream(link, remote, () -> {
      streams.remove(closed.future());
      closed.complete();
    });
    return link.loop().eventLoop() == loop ? stream : new BridgedStream(stream, link.loop().eventLoop(), loop);
  }

  private Future<Void> leave() {
    SharedNode used;
    synchronized (this) {
      closing = true;
      used = node;
    }
    return used == null ? Future.succeededFuture()
      : streamsClosed().timeout(LINKS_MILLIS, TimeUnit.MILLISECONDS).transform(v -> used.node())
        .transform(started -> started.succeeded() ? started.result().leave() : Future.succeededFuture());
  }

  /** Waits for all streams, also for streams that open meanwhile. */
  private Future<Void> streamsClosed() {
    return streams.isEmpty() ? Future.succeededFuture() : Future.join(List.copyOf(streams)).compose(v -> streamsClosed());
  }

  private Future<Void> release() {
    closingLimit.report();
    SharedNode used;
    synchronized (this) {
      used = node;
      startedRoutes = null;
    }
    return used == null ? Future.succeededFuture() : used.release();
  }
}
