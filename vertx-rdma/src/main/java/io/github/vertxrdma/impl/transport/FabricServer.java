package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.LongWait;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.ListeningService;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.PathProofs;
import io.github.vertxrdma.impl.poll.ClosingEventLoops;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Handler of a TCP server that also listens on the fabric. The bind waits until the server's addresses are published, at most 30 s unless a
 * fabric is required. Confined to the server's event loop.
 */
final class FabricServer extends ChannelDuplexHandler {
  private static final Logger LOG = LoggerFactory.getLogger(FabricServer.class);
  private static final long PATIENCE_MILLIS = 30_000;
  private static final long LOOPS_MILLIS = 1;
  private static final long ENTRY_MILLIS = 2_000;
  private static final int BACKLOG = 128;
  private static final String NOT_LOCAL = "the server listens on a loopback address, and the connection is of another host";
  private static final String NOT_ACCEPTED = "the server was closed before it accepted the connection, or too many others waited for it";
  private static final int LEAST_MESSAGE = 1 << 10;

  enum Kind {
    BUS,
    STREAMS,
    ALONE
  }

  private final TransportNode node;
  private final Kind kind;
  private final boolean ofBus;
  private final List<ServiceEntry> aliases = new ArrayList<>();
  private final ArrayDeque<Accepted> backlog = new ArrayDeque<>();
  private final AtomicInteger unaccepted = new AtomicInteger();
  /** Open event bus channels. After its close, the group closes each channel added. */
  private final ChannelGroup children = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
  private final Set<Channel> held = new HashSet<>();
  private InetSocketAddress bound;
  private List<String> names;
  private String publicName;
  private volatile PathProofs proofs;
  /** Proofs of accepted connections, which the kernel accepts before the node has started. */
  private final Future<ConnectionProofs> connections;
  /** Kept for withdrawals, since a closing node does not return its directory. */
  private DirectoryBackend directory;
  private Future<ListeningService> served;
  private boolean readPending;
  private boolean isBeforeAcceptor;
  private volatile boolean closed;

  /** Connection that waits for the server to accept it. */
  private record Accepted(Runnable deliver, Runnable abort) {
  }

  /** @param ofBus true for the event bus: the node leaves its cluster when the server closes */
  FabricServer(TransportNode node, Kind kind, boolean ofBus) {
    this.node = node;
    this.kind = kind;
    this.ofBus = ofBus;
    this.connections = kind == Kind.ALONE ? Future.failedFuture("connections do not move") : node.node().map(Node::connections);
  }

  @Override
  public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
    ChannelPromise tcp = context.newPromise();
    tcp.addListener(done -> {
      if (done.isSuccess()) {
        // Runs after tasks of the bootstrap, which add the remaining handlers.
        context.executor().execute(() -> offer(context, promise));
      } else {
        promise.tryFailure(done.cause());
      }
    });
    if (local instanceof RdmaAddress fabric) {
      context.channel().config().setOption(ChannelOption.SO_REUSEADDR, true);
      fabric.resolve(node.vertx, node.options.rdma()).onSuccess(ip -> context.executor().execute(() -> context.bind(ip, tcp)))
        .onFailure(tcp::tryFailure);
    } else {
      context.bind(local, tcp);
    }
  }

  private void offer(ChannelHandlerContext context, ChannelPromise promise) {
    if (!(context.channel().localAddress() instanceof InetSocketAddress inet)) {
      promise.trySuccess();
      return;
    }
    bound = inet;
    names = RouteNames.ofBound(inet);
    boolean demanded = kind == Kind.ALONE || node.options.rdma().getFabric() != null;
    if (demanded && names.isEmpty()) {
      promise.tryFailure(new IOException("cannot listen on a fabric at " + bound + ": no network interface of this host has an "
        + "address that other hosts can reach. Bind to one address"));
      return;
    }
    if (names.isEmpty() || !LoopProbe.isMadeByBootstrap(context.channel())) {
      promise.trySuccess();
      return;
    }
    if (!demanded && kind == Kind.STREAMS) {
      promise.trySuccess();
    } else if (!demanded) {
      context.executor().schedule(() -> startAlone(promise), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }
    LongWait wait = new LongWait(LoopCall.timer(context.channel().eventLoop()), LOG::info, "The bind of the server on " + bound,
      () -> "the fabric to listen");
    promise.addListener(done -> wait.end());
    isBeforeAcceptor = LoopProbe.isBeforeAcceptor(context);
    listen(context, promise, demanded);
  }

  private void listen(ChannelHandlerContext context, ChannelPromise promise, boolean demanded) {
    if (closed) {
      promise.trySuccess();
      return;
    }
    EventLoop worker = LoopProbe.worker(context.channel());
    if (worker == null) {
      context.executor().schedule(() -> listen(context, promise, demanded), LOOPS_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    served = publicName().compose(v -> serve(context, worker));
    EventLoop own = context.channel().eventLoop();
    served.onSuccess(first -> first.movedHandler(() -> LoopCall.run(own, () -> publishAliases(first))));
    served.compose(first -> LoopCall.on(own, () -> publishAliases(first))).onComplete(done -> {
      if (done.failed() && demanded) {
        promise.tryFailure(done.cause());
      } else if (done.failed() && !(done.cause() instanceof ClosedChannelException)) {
        LOG.warn("The server on " + bound + " accepts connections over TCP only: " + done.cause().getMessage());
      }
      promise.trySuccess();
    });
  }

  private void startAlone(ChannelPromise promise) {
    if (promise.trySuccess()) {
      LOG.warn("The server on " + bound + " starts with TCP only, since it does not listen on a fabric yet after "
        + PATIENCE_MILLIS + " ms. Streams that connect before it does keep using TCP");
    }
  }

  private Future<Void> publicName() {
    return kind != Kind.BUS ? Future.succeededFuture() : node.busAddress(bound).map(address -> {
      publicName = address == null ? null : RouteNames.of(address.getAddress(), address.getPort());
      return null;
    });
  }

  private Future<ListeningService> serve(ChannelHandlerContext context, EventLoop worker) {
    ContextInternal own = node.vertx.contextBuilder().withEventLoop(worker).build();
    return node.node().compose(n -> {
      directory = n.directory();
      proofs = n.paths();
      return ListeningService.byName(n, own, names.getFirst(), metadata(names.getFirst()),
        incoming -> accept(context, n.directory(), incoming));
    });
  }

  private Future<Void> publishAliases(ListeningService first) {
    if (closed) {
      return Future.failedFuture(new ClosedChannelException());
    }
    List<String> others = new ArrayList<>(names.subList(1, names.size()));
    if (publicName != null && !names.contains(publicName)) {
      others.add(publicName);
    }
    aliases.clear();
    for (String name : others) {
      aliases.add(new ServiceEntry(name, directory.nodeId(), directory.epoch(), 0, first.addresses(),
        metadata(name).put(Route.SERVICE, names.getFirst())));
    }
    // Waits for all publications, since none may follow a withdrawal.
    return Future.join(aliases.stream().map(directory::publish).toList()).mapEmpty();
  }

  private JsonObject metadata(String name) {
    JsonObject metadata = switch (kind) {
      case BUS -> new JsonObject();
      case STREAMS -> new JsonObject().put(Route.BY_RULE, true);
      case ALONE -> new JsonObject().put(Route.FABRIC_ONLY, true);
    };
    if (kind != Kind.ALONE) {
      metadata.put(Route.MOVES, true);
    }
    // TCP certainly reaches this server at its only bound address, or at its event bus address in the cluster.
    boolean certain = names.contains(name) && (!bound.getAddress().isAnyLocalAddress() || name.equals(publicName));
    return certain ? metadata : metadata.put(Route.UNPROVEN, true);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel tcp = (Channel) message;
    PathProofs current = proofs;
    if (current == null || !current.hold(names.getFirst(), tcp.remoteAddress(), held(context, tcp))) {
      readPending = false;
      acceptedByTcp(context, tcp);
      return;
    }
    held.add(tcp);
    if (!context.channel().config().isAutoRead()) {
      context.read();
    }
  }

  private void acceptedByTcp(ChannelHandlerContext context, Channel tcp) {
    if (kind == Kind.ALONE) {
      tcp.unsafe().closeForcibly();
      return;
    }
    new MoveHandler(new AcceptingMove(node, connections), node.closingLimit, node.options.rdma().isRequireEncryption()).addTo(tcp);
    context.fireChannelRead(tcp);
    if (ofBus) {
      children.add(tcp);
    }
  }

  private PathProofs.Held held(ChannelHandlerContext context, Channel tcp) {
    return delivered -> LoopCall.execute(context.channel().eventLoop(), () -> {
      if (held.remove(tcp)) {
        if (delivered) {
          unaccepted.incrementAndGet();
          accepted(context, new Accepted(() -> acceptedByTcp(context, tcp), tcp.unsafe()::closeForcibly));
        } else {
          tcp.unsafe().closeForcibly();
        }
      }
    });
  }

  @Override
  public void read(ChannelHandlerContext context) {
    readPending = true;
    if (!backlog.isEmpty()) {
      context.executor().execute(() -> deliver(context));
    }
    context.read();
  }

  private void accept(ChannelHandlerContext context, DirectoryBackend directory, IncomingLink incoming) {
    if (hasSmallMessages(incoming)) {
      return;
    }
    if (unaccepted.get() >= BACKLOG && !context.channel().config().isAutoRead()) {
      incoming.refuse(Reason.LIMIT,
        BACKLOG + " connections wait for the server on " + bound + " to accept them. Connect again later");
      return;
    }
    byte[] data = incoming.greeting().data();
    if (data.length == 1 + Long.BYTES && !proofs.replace(incoming.greeting().nodeId(), Buffer.buffer(data).getLong(1))) {
      incoming.refuse("the TCP connection that this connection was to replace is already in use by the application");
      return;
    }
    int port = StreamAddresses.nextPort();
    Link link = incoming.accept(StreamAddresses.encode(port));
    if (link == null) {
      return;
    }
    unaccepted.incrementAndGet();
    LinkStream stream = node.stream(link, bound);
    stream.confirmed(data).onSuccess(v -> confirmed(context, directory, link, stream, port)).onFailure(cause -> {
      unaccepted.decrementAndGet();
      LOG.debug(link.name() + " is not accepted: the peer did not wait for it", cause);
    });
  }

  /** Refuses a link whose messages are too small for streams. @return whether it did */
  static boolean hasSmallMessages(IncomingLink incoming) {
    int largest = Math.min(incoming.greeting().maxMessageSize(), incoming.loop().options.maxMessageSize());
    if (largest < LEAST_MESSAGE) {
      incoming.refuse(
        "messages of at most " + largest + " bytes are too small for streams. Set maxMessageSize at both ends to "
          + LEAST_MESSAGE + " or more");
    }
    return largest < LEAST_MESSAGE;
  }

  private void confirmed(ChannelHandlerContext context, DirectoryBackend directory, Link link, LinkStream stream, int port) {
    TransportCounters.PROCESS.accepted.increment();
    EventLoop loop = link.loop().eventLoop();
    String peer = link.peer().nodeId();
    directory.node(peer).map(Future::succeededFuture).orElseGet(() -> directory.awaitNode(peer, Duration.ofMillis(ENTRY_MILLIS)))
      .onComplete(found -> {
        NodeEntry entry = found.succeeded() && found.result().epoch() == link.peer().epoch() ? found.result() : null;
        if (!isReachable(kind, bound, directory.self(), entry)) {
          unaccepted.decrementAndGet();
          LoopCall.execute(loop, () -> stream.abort(NOT_LOCAL));
          return;
        }
        stream.remoteAddress(StreamAddresses.of(entry, directory.self(), bound.getAddress(), port));
        if (isBeforeAcceptor && !closed && context.channel().config().isAutoRead()) {
          unaccepted.decrementAndGet();
          deliver(context, stream, loop, child -> LoopProbe.accept(context.channel(), child));
        } else {
          Accepted next = new Accepted(() -> deliver(context, stream, loop, context::fireChannelRead),
            () -> LoopCall.execute(loop, () -> stream.abort(NOT_ACCEPTED)));
          context.executor().execute(() -> accepted(context, next));
        }
      });
  }

  /** Returns whether a node may connect over a fabric, since the kernel would let it connect, too. @param peer null if unknown */
  static boolean isReachable(Kind kind, InetSocketAddress bound, NodeEntry own, NodeEntry peer) {
    return kind != Kind.STREAMS || !bound.getAddress().isLoopbackAddress() || peer != null && FabricRoutes.isInNetworkOf(own, peer);
  }

  private void accepted(ChannelHandlerContext context, Accepted next) {
    if (closed || backlog.size() == BACKLOG) {
      unaccepted.decrementAndGet();
      next.abort.run();
      return;
    }
    backlog.add(next);
    deliver(context);
  }

  private void deliver(ChannelHandlerContext context) {
    boolean any = false;
    while (!closed && !backlog.isEmpty() && (readPending || context.channel().config().isAutoRead())) {
      readPending = false;
      any = true;
      unaccepted.decrementAndGet();
      backlog.poll().deliver.run();
    }
    if (any) {
      context.fireChannelReadComplete();
    }
  }

  private void deliver(ChannelHandlerContext context, LinkStream stream, EventLoop loop, Consumer<Channel> pipeline) {
    RdmaChannel child = new RdmaChannel(context.channel(), stream, loop, node.options.rdma().isRequireEncryption())
      .limit(node.closingLimit);
    pipeline.accept(child);
    if (ofBus) {
      children.add(child);
    }
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    withdraw().compose(v -> ofBus && node.closingLimit.hasBegun() ? leave(context) : Future.succeededFuture())
      .onComplete(done -> context.executor().execute(() -> context.close(promise)));
  }

  private Future<Void> leave(ChannelHandlerContext context) {
    Promise<Void> closed = Promise.promise();
    children.close().addListener(done -> {
      if (!LoopCall.execute(context.executor(), closed::complete)) {
        closed.complete();
      }
    });
    return closed.future().transform(v -> ClosingEventLoops.leaveCluster(node.vertx));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    withdraw();
    context.fireChannelInactive();
  }

  private Future<Void> withdraw() {
    if (closed) {
      return Future.succeededFuture();
    }
    closed = true;
    backlog.forEach(waiting -> waiting.abort.run());
    backlog.clear();
    held.forEach(tcp -> tcp.unsafe().closeForcibly());
    held.clear();
    if (served == null) {
      return Future.succeededFuture();
    }
    List<Future<Void>> all = new ArrayList<>();
    all.add(served.compose(ListeningService::close).otherwiseEmpty());
    for (ServiceEntry alias : aliases) {
      all.add(directory.withdraw(alias).otherwiseEmpty());
    }
    return Future.join(all).otherwiseEmpty().mapEmpty();
  }
}
