package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.EndpointEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.Served;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * In the pipeline of a TCP server: once that is bound, the fabric listens too and the directory says so; then the bind is complete. What is
 * accepted over the fabric enters the pipeline as what TCP accepts does. Its own methods run on the server channel's event loop.
 */
final class FabricServer extends ChannelDuplexHandler {
  private static final Logger LOG = LoggerFactory.getLogger(FabricServer.class);
  /** How long a bind waits for the fabric before TCP starts alone: long, since what comes by TCP until then stays with TCP. */
  private static final long PATIENCE_MILLIS = 30_000;

  private final TransportNode node;
  private final boolean alone;
  private final Map<EventLoop, Future<Served>> served = new ConcurrentHashMap<>();
  private final List<EndpointEntry> aliases = new ArrayList<>();
  private InetSocketAddress bound;
  private List<String> names;
  private boolean closed;

  /** @param alone whether it is a server of the fabric only: TCP holds the port, and turns away who comes */
  FabricServer(TransportNode node, boolean alone) {
    this.node = node;
    this.alone = alone;
  }

  @Override
  public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
    ChannelPromise tcp = context.newPromise();
    tcp.addListener(done -> {
      if (done.isSuccess()) {
        // The pipeline is complete only after the tasks that the bootstrap left.
        context.executor().execute(() -> offer(context, promise));
      } else {
        promise.tryFailure(done.cause());
      }
    });
    if (local instanceof RdmaAddress fabric) {
      bind(context, fabric, tcp);
    } else {
      context.bind(local, tcp);
    }
  }

  private void bind(ChannelHandlerContext context, RdmaAddress fabric, ChannelPromise promise) {
    try {
      int port = fabric.port();
      context.channel().config().setOption(ChannelOption.SO_REUSEADDR, true);
      node.vertx().nameResolver().resolve(fabric.host()).onComplete(ip -> context.executor().execute(() -> {
        if (ip.succeeded()) {
          context.bind(new InetSocketAddress(ip.result(), port), promise);
        } else {
          promise.tryFailure(ip.cause());
        }
      }));
    } catch (IllegalArgumentException e) {
      promise.tryFailure(e);
    }
  }

  private void offer(ChannelHandlerContext context, ChannelPromise promise) {
    if (!(context.channel().localAddress() instanceof InetSocketAddress inet)) {
      promise.trySuccess();
      return;
    }
    bound = inet;
    names = RouteNames.ofBound(inet);
    EventLoop worker = worker(context);
    if (names.isEmpty() || worker == null) {
      promise.trySuccess();
      return;
    }
    // Who comes by TCP before the fabric listens stays with TCP; where that is forbidden the bind waits for as long as it takes.
    boolean demanded = alone || node.options().rdma().getFabric() != null;
    if (!demanded) {
      context.executor().schedule(() -> startAlone(promise), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }
    serve(context, worker).compose(this::publishAliases).compose(v -> published()).onComplete(done -> {
      if (done.failed() && demanded) {
        // What is forced does not fall back.
        promise.tryFailure(done.cause());
      } else if (done.failed()) {
        LOG.warn("The server on " + bound + " takes connections by TCP alone: " + done.cause().getMessage());
      }
      promise.trySuccess();
    });
  }

  private void startAlone(ChannelPromise promise) {
    if (promise.trySuccess()) {
      LOG.warn("The server on " + bound + " starts with TCP alone, since the fabric does not listen yet after " + PATIENCE_MILLIS
        + " ms; connections that are made until it does stay with TCP");
    }
  }

  /** Listens on the devices of one of the server's event loops. */
  private Future<Served> serve(ChannelHandlerContext context, EventLoop worker) {
    return served.computeIfAbsent(worker, loop -> {
      ContextInternal own = node.vertx().contextBuilder().withEventLoop(loop).build();
      JsonObject metadata = new JsonObject().put("service", names.getFirst());
      return node.node().compose(n -> Served.byName(n, own, names.getFirst(), metadata,
        incoming -> accept(context, incoming)));
    });
  }

  /** A server on a wildcard address is found under all addresses. */
  private Future<Void> publishAliases(Served first) {
    Future<Void> all = Future.succeededFuture();
    Node running = node.node().result();
    for (String name : names.subList(1, names.size())) {
      EndpointEntry alias = new EndpointEntry(name, running.directory().nodeId(), running.directory().epoch(), 0, first.addresses(),
        new JsonObject().put("service", names.getFirst()));
      aliases.add(alias);
      all = all.compose(v -> running.directory().publish(alias));
    }
    return all;
  }

  private Future<Void> published() {
    long millis = node.options().publicationMillis();
    return millis == 0 ? Future.succeededFuture() : node.vertx().timer(millis, TimeUnit.MILLISECONDS).mapEmpty();
  }

  // ---- accepting

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (alone) {
      ((Channel) message).unsafe().closeForcibly();
    } else {
      TransportCounters.PROCESS.acceptedByTcp();
      context.fireChannelRead(message);
    }
  }

  /** On the event loop of the link. */
  private void accept(ChannelHandlerContext context, IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link == null) {
      return;
    }
    EventLoop loop = link.loop().eventLoop();
    LinkStream stream = new LinkStream(link, node.options().rdma().getCloseTimeoutMillis(), bound,
      StreamAddresses.decode(link.peer().data(), bound), TransportCounters.PROCESS);
    TransportCounters.PROCESS.accepted();
    context.executor().execute(() -> {
      if (closed) {
        loop.execute(stream::close);
        return;
      }
      RdmaChannel child = new RdmaChannel(context.channel(), node.guarded(stream), loop);
      node.usedBy(child);
      context.fireChannelRead(child);
      context.fireChannelReadComplete();
    });
  }

  /** The loop that is next in turn among those the server gives channels to; null if it has none. */
  private static EventLoop worker(ChannelHandlerContext context) {
    LoopProbe probe = new LoopProbe(context.channel());
    context.fireChannelRead(probe);
    return probe.given();
  }

  // ---- the end

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    withdraw().onComplete(done -> node.closedIfClosing().onComplete(ended -> context.executor().execute(() -> context.close(promise))));
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
    List<Future<Void>> all = new ArrayList<>();
    for (Future<Served> s : served.values()) {
      all.add(s.compose(Served::close).otherwiseEmpty());
    }
    Node running = aliases.isEmpty() ? null : node.node().result();
    if (running != null) {
      aliases.forEach(alias -> all.add(running.directory().withdraw(alias).otherwiseEmpty()));
    }
    Promise<Void> done = Promise.promise();
    Future.join(all).onComplete(v -> done.complete());
    return done.future();
  }
}
