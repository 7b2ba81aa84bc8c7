package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.HealthReport;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.PingOptions;
import io.github.vertxrdma.PingReport;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RdmaServerOptions;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.calls.BusClient;
import io.github.vertxrdma.impl.calls.Instances;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.EncryptionPolicy;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.Pings;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.Setting;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.github.vertxrdma.impl.region.ApplicationMemory;
import io.github.vertxrdma.impl.region.RemoteRegionImpl;
import io.github.vertxrdma.impl.region.Successor;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.SocketAddress;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

public final class RdmaImpl implements Rdma {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaImpl.class);
  private static final long HEALTH_MILLIS = 2_000;

  private final VertxInternal vertx;
  private final RdmaOptions options;
  private final DirectoryBackend directory;
  private volatile SharedNode node;
  private final ClosingScope opened = new ClosingScope();
  private final Instances instances = new Instances(this::isSuspected, () -> ThreadLocalRandom.current().nextDouble());
  private final Runnable removeHook;
  private Future<Void> ended;

  public RdmaImpl(Vertx vertx, RdmaOptions options, DirectoryBackend directory) {
    this.vertx = (VertxInternal) vertx;
    this.directory = directory;
    this.options = TransportOptions.withProcessEncryption(vertx, options);
    if (options.getFabric() == null) {
      this.options.setFabric(Setting.of(TransportOptions.FABRIC));
    }
    ContextInternal creator = this.vertx.getContext();
    CloseFuture end = creator == null ? this.vertx.closeFuture() : creator.closeFuture();
    // Waits for pending operations, since a closed event loop runs no callbacks.
    Closeable hook = done -> end().transform(v -> opened.idle()).onComplete(done);
    removeHook = () -> end.remove(hook);
    if (!end.add(hook)) {
      ended = Future.succeededFuture();
    }
  }

  /** Starts the node. Starts it again after a failure, unless the application supplied the directory, which is then closed. */
  synchronized Future<Node> node() {
    if (ended != null) {
      return Future.failedFuture(new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x"));
    }
    if (node == null || directory == null && node.node().failed()) {
      node = SharedNode.acquire(vertx, options, directory);
    }
    return node.node();
  }

  private Future<Node> unencrypted(String what) {
    return EncryptionPolicy.unless(options, what, this::node);
  }

  @Override
  public Vertx vertx() {
    return vertx;
  }

  @Override
  public RdmaServer createServer(RdmaServerOptions serverOptions) {
    return new RdmaServerImpl(vertx, serverOptions, this::node, opened);
  }

  @Override
  public Future<RdmaConnection> connect(String name, RdmaConnectOptions connectOptions) {
    Duration timeout = connectOptions.getLookupTimeout();
    return connect(connectOptions, "service '" + name + "'", "'" + name + "'", listed -> !listed.services(name).isEmpty(),
      attempt -> attempt.node.directory().awaitServices(name, timeout)
        .recover(cause -> LookupFailure.ofService(attempt.node.directory(), name, timeout.toMillis(), cause))
        .compose(entries -> Instances.first(instances.order(entries, null), attempt::connect, Reconnection::isFinal)));
  }

  @Override
  public Future<RdmaConnection> connect(ServiceEntry instance, RdmaConnectOptions connectOptions) {
    return connect(connectOptions, instance.toString(), instance.toString(), listed -> true, attempt -> attempt.connect(instance));
  }

  @Override
  public Future<RdmaConnection> connect(SocketAddress address, RdmaConnectOptions connectOptions) {
    return connect(connectOptions, "server at " + address, String.valueOf(address), listed -> true, attempt -> attempt.node.resolve(address)
      .compose(inet -> attempt.connect(attempt.connector("server at " + address, "").address(inet))));
  }

  private Future<RdmaConnection> connect(RdmaConnectOptions connect, String server, String target, Predicate<DirectoryBackend> listed,
    Function<Attempt, Future<RdmaConnection>> once) {
    ContextInternal context = vertx.getOrCreateContext();
    String fabric = forced(connect.getFabric());
    byte[] data = RequestFrame.offer(connect.getPrivateData().getBytes());
    ClosingScope scope = opened.of(context);
    return opening(context, server, listed, () -> new Reconnection<>(context, connect.getReconnectAttempts(),
      connect.getReconnectInterval(), scope,
      () -> unencrypted("connecting to " + target).compose(started -> once.apply(new Attempt(started, context, fabric, data, scope))),
      (made, reconnection) -> ((RdmaConnectionImpl) made).successor.madeBy(reconnection), RdmaConnection::close).connect());
  }

  private record Attempt(Node node, ContextInternal context, String fabric, byte[] data, ClosingScope scope) {
    Future<RdmaConnection> connect(ServiceEntry entry) {
      NodeEntry peer = node.directory().node(entry.nodeId()).orElse(NodeEntry.local(entry.nodeId(), entry.epoch()));
      return connect(connector(entry.toString(), Greeting.wanting(entry.name())).peer(peer, entry.addresses()));
    }

    Connector connector(String target, String service) {
      return new Connector(node, context, target, service, data, fabric);
    }

    Future<RdmaConnection> connect(Connector connector) {
      return connector.connect((link, choice) -> new RdmaConnectionImpl(context, link, choice, node, scope));
    }
  }

  @Override
  public Future<RdmaDevice> openDevice(String name) {
    Objects.requireNonNull(name, "name");
    ContextInternal context = vertx.getOrCreateContext();
    return on(context, () -> unencrypted("opening device '" + name + "'").compose(started -> started.devices.named(name))
      .compose(device -> RdmaDeviceImpl.open(context, device, opened.of(context))));
  }

  @Override
  public Future<MemoryRegion> createRegion(RegionOptions regionOptions) {
    return share(null, new RegionOptions(regionOptions));
  }

  @Override
  public Future<MemoryRegion> createRegion(MemorySegment memory, RegionOptions regionOptions) {
    RegionOptions region = new RegionOptions(regionOptions);
    ApplicationMemory.check(memory, region);
    return share(memory, region);
  }

  private Future<MemoryRegion> share(MemorySegment memory, RegionOptions region) {
    ContextInternal context = vertx.getOrCreateContext();
    return on(context, () -> unencrypted("sharing region '" + region.getName() + "'")
      .compose(started -> started.regions().share(context, region, memory).map(opened.of(context)::add)));
  }

  @Override
  public Future<RemoteRegion> openRegion(String name, RegionOpenOptions openOptions) {
    ContextInternal context = vertx.getOrCreateContext();
    RegionOpenOptions open = new RegionOpenOptions(openOptions);
    ClosingScope scope = opened.of(context);
    return opening(context, "region '" + name + "'", listed -> listed.region(name).isPresent(), () -> new Reconnection<>(context,
      open.getReconnectAttempts(), open.getReconnectInterval(), scope,
      () -> unencrypted("opening region '" + name + "'").compose(started -> started.regions()
        .open(context, name, open.getLookupTimeout(), forced(open.getFabric()))).map(region -> region.withTimeout(open.getTimeout())),
      (region, reconnection) -> {
        Runnable forget = scope.add(region::close);
        Successor<RemoteRegion> successor = new Successor<>(context, RemoteRegion::close);
        successor.madeBy(reconnection);
        RemoteRegionImpl internal = (RemoteRegionImpl) region;
        internal.successor(successor);
        internal.whenClosed(() -> {
          forget.run();
          successor.closed();
        });
      }, RemoteRegion::close).connect());
  }

  @Override
  public Future<RdmaBusClient> connectBus(String service, RdmaBusClientOptions connect) {
    if (connect.getRdma() != null || connect.getAddress() != null) {
      throw new IllegalArgumentException(
        "cannot set '" + (connect.getRdma() != null ? "rdma" : "address") + "': only verticles rdma:" + service + "?connect have "
          + "this option. Remove it");
    }
    ContextInternal context = vertx.getOrCreateContext();
    RdmaBusClientOptions own = new RdmaBusClientOptions(connect);
    if (own.getFabric() == null) {
      own.setFabric(options.getFabric());
    }
    BusClient client = BusClient.of(context, () -> unencrypted("service '" + service + "'"), service, own);
    client.whenClosed(opened.of(context).add(client::close));
    return opening(context, "service '" + service + "'", listed -> !listed.services(service).isEmpty(), client::open);
  }

  private String forced(String fabric) {
    return fabric != null ? fabric : options.getFabric();
  }

  /** Makes a call. If it takes long, logs once what it waits for. @param listed tests whether the directory has the entry */
  private <T> Future<T> opening(ContextInternal context, String what, Predicate<DirectoryBackend> listed,
    Supplier<Future<T>> call) {
    return on(context, () -> LoopCall.logged(context.nettyEventLoop(), LOG, "The connect to " + what, () -> {
      SharedNode shared = node;
      Node started = shared == null ? null : shared.node().result();
      return started == null ? "the start of its node" : listed.test(started.directory()) ? "an answer" : "an entry in the "
        + started.directory().where();
    }, call.get()));
  }

  /** Makes a call after starting the thread of the context's event loop. */
  private <T> Future<T> on(ContextInternal context, Supplier<Future<T>> call) {
    return ThreadLimit.named(() -> {
      LoopCall.startThread(context.nettyEventLoop());
      return LoopCall.result(context, opened.track(call.get().recover(cause -> Future.failedFuture(ThreadLimit.named(cause)))));
    });
  }

  @Override
  public Future<RdmaDirectory> directory() {
    return on(vertx.getOrCreateContext(), () -> node().<RdmaDirectory>map(Node::directory));
  }

  @Override
  public Future<List<FabricInfo>> fabrics() {
    return on(vertx.getOrCreateContext(), () -> node().compose(started -> started.devices.everything()));
  }

  @Override
  public Future<List<PingReport>> ping(String name, PingOptions pingOptions) {
    PingOptions ping = new PingOptions(pingOptions);
    if (ping.getSize() > options.getMaxMessageSize()) {
      throw new IllegalArgumentException(
        "cannot ping with messages of " + ping.getSize() + " bytes: maxMessageSize allows at most " + options.getMaxMessageSize());
    }
    ContextInternal context = vertx.getOrCreateContext();
    return on(context,
      () -> node().compose(started -> new Pings(started, context, ping.getCount(), ping.getSize(), forced(ping.getFabric()))
        .ping(name, ping.getLookupTimeout().toMillis())));
  }

  @Override
  public boolean isSuspected(String nodeId) {
    SharedNode shared = node;
    Future<Node> started = shared == null ? null : shared.node();
    return started != null && started.succeeded() && started.result().isSuspected(nodeId);
  }

  @Override
  public Future<HealthReport> health() {
    Promise<HealthReport> report = Promise.promise();
    // Uses a JDK thread, since a Vert.x timer could run on the blocked event loop.
    try {
      CompletableFuture.delayedExecutor(HEALTH_MILLIS, TimeUnit.MILLISECONDS).execute(() -> report.tryComplete(new HealthReport(List.of(
        "an event loop, or the directory, did not answer within " + HEALTH_MILLIS + " ms"))));
    } catch (OutOfMemoryError e) {
      return Future.succeededFuture(new HealthReport(List.of(ThreadLimit.named(e).getMessage())));
    }
    node().compose(started -> started.statistics().map(now -> new HealthReport(
      started.directory().node(now.nodeId()).isPresent() ? List.of() : List.of("node " + now.nodeId() + " is not in the directory"))))
      .otherwise(cause -> new HealthReport(List.of(String.valueOf(cause.getMessage())))).onSuccess(report::tryComplete);
    ContextInternal caller = vertx.getContext();
    return caller == null ? report.future() : on(caller, report::future);
  }

  @Override
  public Future<NodeStatistics> statistics() {
    return on(vertx.getOrCreateContext(), () -> node().compose(Node::statistics));
  }

  @Override
  public Future<NodeStatistics> statistics(String nodeId) {
    return on(vertx.getOrCreateContext(), () -> node().compose(started -> started.statistics(nodeId)));
  }

  @Override
  public Future<Void> close() {
    ContextInternal caller = vertx.getContext();
    return caller == null ? end() : LoopCall.result(caller, end());
  }

  /** Must not be called with this object's lock: a server calls node() with its own lock, which the close needs. */
  private Future<Void> end() {
    Promise<Void> promise = Promise.promise();
    SharedNode running;
    synchronized (this) {
      if (ended != null) {
        return ended;
      }
      ended = promise.future();
      running = node;
      node = null;
    }
    // Keeps the close hook until then, since an ending verticle waits for the hook.
    ended.onComplete(v -> opened.idle().onComplete(idle -> removeHook.run()));
    (running == null ? Future.<Void>succeededFuture() : opened.close().transform(v -> running.release())).onComplete(promise);
    return ended;
  }
}
