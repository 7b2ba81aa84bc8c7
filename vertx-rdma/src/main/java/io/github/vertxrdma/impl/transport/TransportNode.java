package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.directory.EndpointEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The part of a Vert.x that takes connections of the network stack over the fabric. Thread-safe. */
final class TransportNode {
  private static final Logger LOG = LoggerFactory.getLogger(TransportNode.class);
  /** How long a peer that the fabric did not reach is reached by TCP without another try. */
  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** How long a connection waits for the node to start. */
  private static final long START_MILLIS = 10_000;
  /** How long a connection waits for the directory to tell of a node that has just come. */
  private static final long NEWS_MILLIS = 2000;
  /** How long closing waits for channels that somebody else has to close. */
  private static final long CLOSE_MILLIS = 2000;

  private final VertxInternal vertx;
  private final TransportOptions options;
  private final ChannelFactory<? extends Channel> tcp;
  private final Map<EndpointEntry, Long> failures = new ConcurrentHashMap<>();
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final Promise<Void> closed = Promise.promise();
  private SharedNode node;
  private volatile Node started;
  private volatile Newcomers newcomers;
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
      node.node().onSuccess(n -> {
        newcomers = new Newcomers(n.directory());
        started = n;
      });
    }
    return node.node();
  }

  // ---- servers

  /** Whether a server that is being bound takes connections over the fabric. The first of a clustered Vert.x is the event bus. */
  synchronized boolean serves() {
    boolean bus = options.eventBus() && !busServed && vertx.isClustered() && vertx.clusterManager().getNodeInfo() == null;
    busServed |= bus;
    return bus || options.streams();
  }

  // ---- clients

  /** How to connect to an address; null if nothing but TCP can serve. */
  RdmaChannel.Dialer dialer(io.vertx.core.net.SocketAddress address) {
    if (!address.isInetSocket()) {
      return null;
    }
    if (started == null) {
      Future<Node> starting = starting();
      return starting == null ? null : (channel, remote, local) -> starting.timeout(START_MILLIS, TimeUnit.MILLISECONDS)
        .transform(v -> connect(route(remote), channel, remote, local));
    }
    InetAddress ip = RouteNames.literal(address.host());
    if (ip == null) {
      // Netty resolves the name before it connects; that is worth waiting for where somebody listens on that port.
      return somebodyServes(address.port())
        ? (channel, remote, local) -> connect(route(remote), channel, remote, local)
        : null;
    }
    Route route = route(ip, address.port());
    if (route != null) {
      return (channel, remote, local) -> connect(route, channel, remote, local);
    }
    return options.eventBus() && vertx.isClustered() && newcomers.any()
      ? (channel, remote, local) -> await(ip, address.port()).compose(found -> connect(found, channel, remote, local))
      : null;
  }

  /** The node while it starts; null before and after that. */
  private synchronized Future<Node> starting() {
    return closing || node == null || node.node().isComplete() ? null : node.node();
  }

  /** What the directory is about to know, if it does soon. */
  private Future<Route> await(InetAddress ip, int port) {
    return node().compose(n -> n.directory().awaitEndpoints(RouteNames.of(ip, port), NEWS_MILLIS)).transform(v ->
      Future.succeededFuture(started == null ? null : route(ip, port)));
  }

  /** How to connect to a server of the fabric, which is not to be reached by TCP. */
  RdmaChannel.Dialer dialer(RdmaAddress address) {
    return (channel, remote, local) -> new FabricDial(this, address).connect(channel.eventLoop());
  }

  private boolean somebodyServes(int port) {
    return started.directory().endpoints().stream().anyMatch(entry -> RouteNames.isAtPort(entry.name(), port));
  }

  private Route route(SocketAddress remote) {
    return started != null && remote instanceof InetSocketAddress inet && !inet.isUnresolved() ? route(inet.getAddress(), inet.getPort())
      : null;
  }

  /** What the directory knows to listen behind a TCP address, if it is one single server. */
  private Route route(InetAddress ip, int port) {
    List<Route> found = routes(started.directory(), ip, port);
    // More than one: hosts with the same private address, and only TCP's routes tell which one is meant.
    return found.size() == 1 && !failedLately(found.getFirst().entry()) ? found.getFirst() : null;
  }

  /** All that the directory knows to listen behind a TCP address. */
  static List<Route> routes(EndpointDirectory directory, InetAddress ip, int port) {
    List<Route> found = new ArrayList<>();
    for (EndpointEntry entry : directory.endpoints(RouteNames.of(ip, port))) {
      NodeEntry peer = directory.node(entry.nodeId()).orElse(null);
      if (peer != null && (!ip.isLoopbackAddress() || sameNetwork(directory.self(), peer))) {
        found.add(new Route(entry, peer));
      }
    }
    return found;
  }

  /** A server that the fabric reaches. */
  record Route(EndpointEntry entry, NodeEntry peer) {
  }

  private static boolean sameNetwork(NodeEntry self, NodeEntry peer) {
    return self.process().sameHost(peer.process()) && self.process().netNamespace() == peer.process().netNamespace();
  }

  private boolean failedLately(EndpointEntry entry) {
    Long until = failures.get(entry);
    if (until == null) {
      return false;
    }
    if (System.nanoTime() - until < 0) {
      return true;
    }
    failures.remove(entry, until);
    return false;
  }

  /**
   * Connects a channel by a route, and by TCP where there is none, or the fabric fails and is not forced. On the channel's event loop.
   */
  private Future<ByteStream> connect(Route route, RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    if (route == null || !(remote instanceof InetSocketAddress inet) || inet.isUnresolved() || !meant(route, inet)) {
      // Nobody serves there, or a proxy stands between.
      return byTcp(channel, remote, local);
    }
    return byFabric(route, channel.eventLoop(), inet).recover(cause -> {
      if (options.rdma().getFabric() != null) {
        return Future.failedFuture(cause);
      }
      failures.put(route.entry(), System.nanoTime() + FAILURE_NANOS);
      tell(route, "over TCP, since " + cause.getMessage());
      TransportCounters.PROCESS.fellBack();
      return byTcp(channel, remote, local);
    });
  }

  /** Connects by a route. @param remote what the other end is called */
  Future<ByteStream> byFabric(Route route, EventLoop loop, InetSocketAddress remote) {
    ContextInternal context = vertx.contextBuilder().withEventLoop(loop).build();
    InetSocketAddress own = StreamAddresses.local(remote);
    String what = "server at " + remote + " of node " + route.peer().nodeId();
    String service = "endpoint/" + route.entry().metadata().getString("service", route.entry().name());
    return node().compose(n -> new Connector(n, context, what, service, StreamAddresses.encode(own), options.rdma().getFabric())
      .peer(route.peer(), route.entry().addresses()).connect((link, choice) -> {
        tell(route, "over " + choice);
        TransportCounters.PROCESS.connected();
        LinkStream stream = new LinkStream(link, options.rdma().getCloseTimeoutMillis(), own, remote, TransportCounters.PROCESS);
        return guarded(link.loop().eventLoop() == loop ? stream : new BridgedStream(stream, link.loop().eventLoop(), loop));
      }));
  }

  private static boolean meant(Route route, InetSocketAddress remote) {
    return route.entry().name().equals(RouteNames.of(remote.getAddress(), remote.getPort()));
  }

  private Future<ByteStream> byTcp(RdmaChannel channel, SocketAddress remote, SocketAddress local) {
    return TcpStream.connect(channel.eventLoop(), tcp, channel.config().socketOptions(), options.rdma().getCloseIdleTimeoutMillis(), remote,
      local).map(this::guarded);
  }

  /** A stream that lets pass what the policy allows. */
  ByteStream guarded(ByteStream stream) {
    return options.rdma().isRequireEncryption() ? new EncryptedStream(stream) : stream;
  }

  /** One line for each peer and way. */
  private void tell(Route route, String how) {
    if (told.add(route.peer().nodeId() + how)) {
      LOG.info("Connections to " + route.entry().name() + " of node " + route.peer().nodeId() + " go " + how);
    }
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
      vertx.setTimer(CLOSE_MILLIS, id -> close());
    }
    return closed.future();
  }

  /** Completes at once, or in a Vert.x that is being closed with the node, whose loops must not end before it. Bounded. */
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
    long timer = vertx.setTimer(CLOSE_MILLIS, id -> bounded.tryComplete());
    closed.future().onComplete(done -> {
      vertx.cancelTimer(timer);
      bounded.tryComplete();
    });
    return bounded.future();
  }

  private void close() {
    SharedNode running;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      running = node;
      started = null;
    }
    if (running == null) {
      closed.complete();
    } else {
      running.release().onComplete(done -> closed.complete());
    }
  }
}
