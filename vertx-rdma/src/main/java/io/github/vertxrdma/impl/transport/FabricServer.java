package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.base.LongWait;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.ListeningService;
import io.github.vertxrdma.impl.node.Node;
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
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Handler of a TCP server whose connections can move to a fabric. The bind waits until the server's addresses are published if a fabric is
 * required, and at most 30 s for the event bus if the node starts with it. Confined to the server's event loop.
 */
final class FabricServer extends ChannelDuplexHandler {
  private static final Logger LOG = LoggerFactory.getLogger(FabricServer.class);
  private static final long PATIENCE_MILLIS = 30_000;
  /** Maximum number of TCP connections of an {@link Kind#ALONE} server that wait for a question of their nodes. */
  private static final int MOST_HELD = 1024;
  private static final long OPEN_NANOS = TimeUnit.MILLISECONDS.toNanos(AcceptingMove.OPEN_MILLIS);

  enum Kind {
    BUS,
    STREAMS,
    ALONE
  }

  private record Held(AcceptingMove move, long sinceNanos) {
  }

  private final TransportNode node;
  private final Kind kind;
  private final boolean ofBus;
  private final List<ServiceEntry> entries = new ArrayList<>();
  /** Open event bus channels. After its close, the group closes each channel added. */
  private final ChannelGroup children = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
  /** Connections that are closed unless their nodes ask for a fabric, oldest first. */
  private final Map<Channel, Held> held = new LinkedHashMap<>();
  /** True while a task waits to close the oldest one. */
  private boolean sweeps;
  private InetSocketAddress bound;
  private List<String> names;
  private String publicName;
  /** Kept for withdrawals, since a closing node does not return its directory. */
  private DirectoryBackend directory;
  private ListeningService listener;
  /** Null until the addresses of the listener are published. */
  private Runnable moved;
  private Future<Void> served;
  /** Completed when the addresses are published for the first time, or cannot be. */
  private final Promise<Void> listening = Promise.promise();
  /** Null before the bind. */
  private Handler<Node> starting;
  private boolean closed;

  /** @param ofBus true for the event bus: the node leaves its cluster when the server closes */
  FabricServer(TransportNode node, Kind kind, boolean ofBus) {
    this.node = node;
    this.kind = kind;
    this.ofBus = ofBus;
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
    boolean demanded = kind == Kind.ALONE || node.isForced();
    if (demanded || node.isEager()) {
      node.node().onFailure(listening::tryFail);
    }
    if (demanded && names.isEmpty()) {
      promise.tryFailure(new IOException("cannot listen on a fabric at " + bound + ": no network interface of this host has an "
        + "address that other hosts can reach. Bind to one address"));
      return;
    }
    if (names.isEmpty() || closed) {
      promise.trySuccess();
      return;
    }
    EventLoop own = context.channel().eventLoop();
    node.whenStarted(starting = started -> LoopCall.run(own, () -> serve(started, own)));
    listening.future().onComplete(done -> {
      if (done.failed() && demanded) {
        promise.tryFailure(done.cause());
      } else if (done.failed() && !(done.cause() instanceof ClosedChannelException)) {
        LOG.warn("The server on " + bound + " accepts connections over TCP only: " + done.cause().getMessage());
      }
      promise.trySuccess();
    });
    if (demanded || kind == Kind.BUS && node.isEager()) {
      LongWait wait = new LongWait(LoopCall.timer(own), LOG::info, "The bind of the server on " + bound, () -> "the fabric to listen");
      promise.addListener(done -> wait.end());
      if (!demanded) {
        own.schedule(() -> startAlone(promise), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      }
    } else {
      promise.trySuccess();
    }
  }

  private void startAlone(ChannelPromise promise) {
    if (promise.trySuccess()) {
      LOG.warn("The server on " + bound + " starts with TCP only, since it does not listen on a fabric yet after "
        + PATIENCE_MILLIS + " ms. Its connections use the fabric when it does");
    }
  }

  private void serve(Node started, EventLoop own) {
    if (closed) {
      return;
    }
    directory = started.directory();
    served = publicName().compose(v -> started.connections().listen()).compose(listens -> LoopCall.on(own, () -> {
      listener = listens;
      if (!closed) {
        listener.addMovedHandler(moved = () -> LoopCall.run(own, () -> served = publish()));
      }
      return publish();
    }));
    served.onSuccess(listening::tryComplete).onFailure(listening::tryFail);
  }

  private Future<Void> publicName() {
    return kind != Kind.BUS ? Future.succeededFuture() : node.busAddress(bound).map(address -> {
      publicName = address == null ? null : RouteNames.of(address.getAddress(), address.getPort());
      return null;
    });
  }

  private Future<Void> publish() {
    if (closed) {
      return Future.failedFuture(new ClosedChannelException());
    }
    Set<String> all = new LinkedHashSet<>(names);
    if (publicName != null) {
      all.add(publicName);
    }
    JsonObject metadata = new JsonObject().put(Route.MOVES, true).put(Route.OPENS, true);
    if (kind != Kind.BUS) {
      metadata.put(kind == Kind.STREAMS ? Route.BY_RULE : Route.FABRIC_ONLY, true);
    }
    entries.clear();
    all.forEach(name -> entries.add(new ServiceEntry(name, directory.nodeId(), directory.epoch(), 0, listener.addresses(), metadata)));
    // Waits for all publications, since none may follow a withdrawal.
    return Future.join(entries.stream().map(directory::publish).toList()).mapEmpty();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel tcp = (Channel) message;
    boolean alone = kind == Kind.ALONE;
    AcceptingMove move = new AcceptingMove(node, alone ? () -> deliver(context, tcp) : null);
    new MoveHandler(move, node.closingLimit, node.options.rdma().isRequireEncryption(), alone).addTo(tcp);
    if (alone) {
      hold(context, tcp, move);
      return;
    }
    context.fireChannelRead(tcp);
    if (ofBus) {
      children.add(tcp);
    }
  }

  private void hold(ChannelHandlerContext context, Channel tcp, AcceptingMove move) {
    if (closed) {
      tcp.unsafe().closeForcibly();
      return;
    }
    if (held.size() == MOST_HELD) {
      drop(oldestOfMostFrequentSource());
    }
    held.put(tcp, new Held(move, System.nanoTime()));
    move.await(tcp);
    if (!sweeps) {
      sweeps = true;
      sweepLater(context.executor(), OPEN_NANOS);
    }
    if (!context.channel().config().isAutoRead()) {
      context.read();
    }
  }

  private Channel oldestOfMostFrequentSource() {
    Map<InetAddress, Long> sources = held.keySet().stream().collect(Collectors.groupingBy(FabricServer::source, Collectors.counting()));
    InetAddress most = Collections.max(sources.entrySet(), Map.Entry.comparingByValue()).getKey();
    return held.keySet().stream().filter(each -> source(each).equals(most)).findFirst().orElseThrow();
  }

  private static InetAddress source(Channel tcp) {
    return tcp.remoteAddress() instanceof InetSocketAddress remote ? remote.getAddress() : InetAddress.getLoopbackAddress();
  }

  private void sweepLater(EventExecutor own, long nanos) {
    own.schedule(() -> {
      long now = System.nanoTime();
      while (!held.isEmpty()) {
        Map.Entry<Channel, Held> oldest = held.entrySet().iterator().next();
        long left = OPEN_NANOS - (now - oldest.getValue().sinceNanos());
        if (left > 0) {
          sweepLater(own, left);
          return;
        }
        drop(oldest.getKey());
      }
      sweeps = false;
    }, nanos, TimeUnit.NANOSECONDS);
  }

  private void drop(Channel tcp) {
    Held dropped = held.remove(tcp);
    if (dropped != null) {
      dropped.move().forget();
      tcp.unsafe().closeForcibly();
    }
  }

  /** Passes a connection to the server. Called on any thread. */
  private void deliver(ChannelHandlerContext context, Channel tcp) {
    LoopCall.execute(context.channel().eventLoop(), () -> {
      if (held.remove(tcp) != null) {
        context.fireChannelRead(tcp);
        context.fireChannelReadComplete();
      }
    });
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
    listening.tryFail(new ClosedChannelException());
    if (starting != null) {
      node.forget(starting);
    }
    List.copyOf(held.keySet()).forEach(this::drop);
    if (moved != null) {
      listener.removeMovedHandler(moved);
    }
    return served == null ? Future.succeededFuture() : served.otherwiseEmpty()
      .compose(v -> Future.join(entries.stream().map(entry -> directory.withdraw(entry).otherwiseEmpty()).toList())).mapEmpty();
  }
}
