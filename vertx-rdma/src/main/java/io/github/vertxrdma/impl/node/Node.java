package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.HostLookup;
import io.github.vertxrdma.base.LongWait;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.peers.AbstractDirectory;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.ProductVersion;
import io.github.vertxrdma.impl.peers.SecretHandshake;
import io.github.vertxrdma.impl.peers.Upkeep;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.impl.process.Setting;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.github.vertxrdma.impl.region.KeySeal;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.statistics.AdapterStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node of this process: devices, directory, links and services. Thread-safe. */
public final class Node {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  /** System property and environment variable {@code VERTX_RDMA_NAME}: default name of this process's nodes. */
  public static final String NAME = "vertx.rdma.name";

  private final VertxInternal vertx;
  final ContextInternal context;
  private final RdmaOptions options;
  private final InetAddress host;
  public final NodeDevices devices;
  private final DirectoryBackend directory;
  private final ClusterSecret secret;
  /** Published identity of the runtime folders. */
  private volatile String folder;
  final SecretHandshake handshake;
  final Authorization authorization;
  final PeerLinks peers;
  final ControlLinks control;
  private final PeerStatistics peerStatistics;
  final IntroducedConnector introducedConnector;
  private final ConnectionProofs connections;
  private final SharedRegions regions;
  final DeviceFailover failover;
  final ErrorLog errors = new ErrorLog();
  public final Ways ways = new Ways(System::nanoTime);
  private final StatisticsFile statisticsFile = new StatisticsFile(this, PublishedStatistics::create);
  private final LivenessSocket liveness;
  final NodeLoops loops;
  final Upkeep upkeep;
  private final BlockingCalls upkeepCalls;
  /** Message of the last failed reload of the cluster secret; empty after a success. */
  private volatile String secretTrouble = "";

  private Node(ContextInternal context, RdmaOptions options, StartResources found, DirectoryBackend directory) {
    this.vertx = context.owner();
    this.context = context;
    this.options = options;
    this.host = found.host;
    this.devices = new NodeDevices(context, found.devices, options.getFabric(), options.getHost() != null);
    this.directory = directory;
    this.secret = found.secret;
    this.folder = found.folder;
    this.handshake = new SecretHandshake(secret, directory::self);
    this.authorization = new Authorization(options.getAuthorizer(), directory::nodeId);
    this.peers = new PeerLinks(directory, errors, this::linkLost);
    int suspectMillis = (int) options.getSuspectTimeout().toMillis();
    int deadMillis = (int) options.getDeadTimeout().toMillis();
    int lastPort = options.getControlPort() == 0 ? 0 : options.getControlPort() + options.getControlPortCount() - 1;
    this.control = new ControlLinks(context, new ControlSettings(host.getHostAddress()).withPorts(options.getControlPort(), lastPort)
      .withSilence(suspectMillis, Math.max(suspectMillis, deadMillis)).withConnectTimeout(options.getConnectTimeout()), secret,
      directory::self)
      .refusalHandler(this::refused);
    this.peers.control(control);
    this.peerStatistics = new PeerStatistics(this, control);
    this.handshake.attach(control);
    this.introducedConnector = new IntroducedConnector(this, control);
    this.connections = new ConnectionProofs(this, control);
    if (directory instanceof AbstractDirectory base) {
      base.attach(control);
    }
    this.regions = new SharedRegions(this, new KeySeal(secret));
    LoopOptions linkOptions = new LoopOptions(options.getBufferSize(), options.getDataCredits(), options.getControlCredits(),
      LoopOptions.fragmentSize(options.getBufferSize()), options.getMaxMessageSize(),
      (int) options.getCloseIdleTimeout().toMillis(), suspectMillis, deadMillis, LoopOptions.DEFAULT.notifyInlineLimit(),
      options.getZeroCopyBytes());
    this.loops = new NodeLoops(context, devices, options.getMaxRdmLoops(), linkOptions, loop -> new LoopService(loop,
      directory::self, handshake, authorization, peers, (int) options.getConnectTimeout().toMillis()));
    this.failover = new DeviceFailover(this, control);
    this.devices.addListener(more -> failover.devicesAdded());
    this.liveness = found.liveness;
    this.upkeepCalls = new BlockingCalls(context);
    this.upkeep = new Upkeep(context, this::files, this::readFiles, this::restore);
  }

  /** @param given open directory, which the node closes, even if the start fails; null to open the directory of the options */
  public static Future<Node> start(VertxInternal vertx, RdmaOptions options, DirectoryBackend given) {
    return given == null ? start(vertx, options, () -> DirectoryBackend.open(vertx, options.getDirectory()))
      : start(vertx, options, () -> Future.succeededFuture(given))
        .recover(cause -> given.close().transform(v -> Future.failedFuture(cause)));
  }

  private static Future<Node> start(VertxInternal vertx, RdmaOptions options, Supplier<Future<DirectoryBackend>> open) {
    // Takes only one event loop from Vert.x's rotation. More would change how verticles are distributed.
    ContextInternal context = vertx.createEventLoopContext();
    BlockingCalls calls;
    try {
      ThreadLimit.check();
      calls = new BlockingCalls(context);
    } catch (RdmaException e) {
      return Future.failedFuture(e);
    }
    AtomicReference<String> awaited = new AtomicReference<>("its host, devices and cluster secret");
    LongWait wait = new LongWait(LoopCall.timer(context.nettyEventLoop()), LOG::info, "The start of RDMA", awaited::get);
    Future<StartResources> loading = LoopCall.result(context, calls.call(() -> {
      InetAddress host = host(options, vertx.isClustered() ? vertx.clusterManager().clusterHost() : null, HostLookup.SYSTEM);
      Map<String, String> settings = new HashMap<>();
      options.getSettings().forEach(e -> settings.put(e.getKey(), String.valueOf(e.getValue())));
      if (options.getFabric() != null) {
        settings.put(ProcessDevices.FABRIC, options.getFabric());
      }
      return new StartResources(host, ProcessDevices.find(new DiscoveryOptions(host, settings)),
        ClusterSecret.load(options.getSecretFile()), RuntimeFolder.identity(), LivenessSocket.open());
    }));
    loading.onSuccess(found -> awaited.set("the directory"));
    // Opens the directory in parallel, on the node's context.
    Promise<DirectoryBackend> promise = LoopCall.promise(context);
    Future<DirectoryBackend> opened = LoopCall.on(task -> context.runOnContext(v -> task.run()), promise,
      opening -> open.get().onComplete(opening));
    // The constructor blocks, because the first key derivation loads many classes.
    return Future.join(loading, opened)
      .compose(v -> LoopCall.result(context, calls.call(() -> new Node(context, options, loading.result(), opened.result()))))
      .recover(cause -> discarded(opened.result(), loading.result(), cause))
      .compose(node -> {
        awaited.set("the " + node.directory.where() + " to take its entry");
        return node.devices.ranked().isEmpty()
          ? node.devices.<Node>failUnavailable(options.getFabric()).eventually(node::close)
          : node.publish().map(node).onSuccess(Node::started)
            .recover(cause -> node.close().transform(v -> Future.failedFuture(cause)));
      })
      .onComplete(done -> wait.end())
      // A RejectedExecutionException means that Vert.x is closed.
      .recover(cause -> Future.failedFuture(named(LoopCall.cause(cause))));
  }

  private static Future<Node> discarded(DirectoryBackend directory, StartResources found, Throwable cause) {
    if (found != null) {
      found.liveness.close();
    }
    return (directory == null ? Future.<Void>succeededFuture() : directory.close()).transform(v -> Future.failedFuture(cause));
  }

  private static Throwable named(Throwable cause) {
    if (!(cause instanceof FileSystemException file)) {
      return ThreadLimit.named(cause);
    }
    String words = "cannot start RDMA: " + RuntimeFolder.words(file);
    return RuntimeFolder.isLimit(file) ? new RdmaException(Reason.LIMIT, words, cause) : new IOException(words, cause);
  }

  /** Returns the configured address, otherwise that of the cluster host, otherwise the loopback address. Blocks. */
  static InetAddress host(RdmaOptions options, String cluster, HostLookup names) throws UnknownHostException, InterruptedException {
    if (options.getHost() != null) {
      return InetAddress.ofLiteral(options.getHost());
    }
    if (cluster == null) {
      return InetAddress.getLoopbackAddress();
    }
    long millis = options.getConnectTimeout().toMillis();
    try {
      return names.find(cluster, millis, () -> LOG.info("Waiting at most " + millis + " ms for the address of this node's host "
        + "'" + cluster
        + "', for which no name server has answered yet"));
    } catch (UnknownHostException e) {
      throw new UnknownHostException("cannot find the address of this node's host '" + cluster + "', the host of the cluster: "
        + e.getMessage() + ". Set it by RdmaOptions.setHost");
    }
  }

  private Future<Void> publish() {
    return control.listen().compose(port -> directory.publish(directory.self().withProcess(directory.self().process().withFolder(folder))
      .withSecretId(secret.id()).withControl(host.getHostAddress(), port).withName(name())))
      // Started after the publication, because the advice needs the runtime folder of this node's entry.
      .onSuccess(v -> SecretAdvice.watch(directory, secret));
  }

  private String name() {
    String given = options.getName() == null ? Setting.of(NAME) : options.getName();
    return given == null ? NodeName.own(directory.self().process().host()) : given;
  }

  private void started() {
    // Checks the secret file, because a node with a new secret may have appeared.
    directory.watchNodes(event -> upkeep.soon());
    upkeep.soon();
    statisticsFile.start();
    failover.start();
    devices.searchLater();
    LOG.info("vertx-rdma " + ProductVersion.CURRENT + ": node " + directory.self().name() + " (" + directory.nodeId() + ") in the "
      + directory.where() + "; fabrics "
      + devices.ranked().stream().map(Device::name).distinct().collect(Collectors.joining(", ")) + "; " + secret
      + (knowsNoOtherHosts() ? "; members of the cluster on other hosts are unknown to this directory: name them with "
        + "DirectoryOptions.addPeer" : ""));
  }

  /** Returns whether the directory contains only nodes of this host, although the Vert.x is in a cluster. */
  private boolean knowsNoOtherHosts() {
    return vertx.isClustered() && directory.type().equals(DirectoryOptions.SAME_HOST) && options.getDirectory().getPeers().isEmpty();
  }

  private void refused(Reason reason, String why) {
    errors.refused(reason, why);
    if (reason == Reason.NOT_AUTHENTIC) {
      upkeep.soon();
    }
  }

  private List<Path> files() {
    return Stream.of(liveness.paths().stream(), Stream.ofNullable(statisticsFile.path()), RuntimeFolder.session(true).stream(),
      domains().flatMap(domain -> domain.files().stream())).flatMap(files -> files).toList();
  }

  private List<Path> readFiles() {
    return Stream.concat(secret.files().stream(), RuntimeFolder.session(false).stream()).toList();
  }

  private Stream<Domain> domains() {
    return loops.running().map(each -> each.loop.domain).distinct();
  }

  private Future<?> restore() {
    boolean[] isThere = {false};
    Future<?> folders = upkeepCalls.call(() -> {
      isThere[0] = domains().map(Domain::restoreFiles).reduce(liveness.restore(), Boolean::logicalAnd) & !RuntimeFolder.isBegun();
      devices.checkSubnets();
      return RuntimeFolder.identity();
    }).compose(this::foldersRead);
    Future<?> read = upkeepCalls.call(secret::refresh).onComplete(this::secretRead);
    return Future.join(folders, read).eventually(statisticsFile::restore)
      .map(v -> isThere[0] && secret.isComplete() && folders.result() == null);
  }

  /** Publishes the folders if one has become usable, was removed or created again. The directory then listens there. */
  private Future<String> foldersRead(String now) {
    if (now.isEmpty() || now.equals(folder)) {
      return Future.succeededFuture();
    }
    return directory.publish(directory.self().withProcess(directory.self().process().withFolder(now))).map(now)
      .onSuccess(published -> folder = published);
  }

  private void secretRead(AsyncResult<Boolean> changed) {
    if (changed.failed()) {
      String why = String.valueOf(changed.cause().getMessage());
      if (!why.equals(secretTrouble)) {
        LOG.warn("The cluster secret could not be read again, so this node keeps the former one: " + why);
      }
      secretTrouble = why;
    } else if (changed.result()) {
      secretTrouble = "";
      LOG.info("The " + secret + " changed: this node now proves the first secret there. Ids of the secrets that it accepts: "
        + secret.id());
      directory.publish(directory.self().withSecretId(secret.id())).onFailure(cause -> LOG.warn("The id of the new cluster secret "
        + "could not be published in the directory: "
        + cause.getMessage()));
      regions.publishAgain();
    }
  }

  /** @param folder identity of the runtime folder; empty without one */
  private record StartResources(InetAddress host, ProcessDevices devices, ClusterSecret secret, String folder, LivenessSocket liveness) {
  }

  public Future<NodeStatistics> statistics() {
    return statistics(false);
  }

  /** Returns the statistics of a node. That node then measures round trips for the next call. Thread-safe. */
  public Future<NodeStatistics> statistics(String nodeId) {
    if (nodeId.equals(directory.nodeId())) {
      return statistics(true);
    }
    return directory.node(nodeId).map(peerStatistics::ask).orElseGet(() -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND,
      "there is no node '" + nodeId + "' in the " + directory.where())));
  }

  Future<NodeStatistics> statistics(boolean measured) {
    List<Future<DeviceStatistics>> asked = new ArrayList<>();
    loops.running().forEach(service -> asked.add(LoopCall.on(service.loop.eventLoop(), () -> {
      DeviceStatistics now = service.loop.statistics();
      if (measured) {
        service.loop.endpoints.measureRoundTrips();
      }
      return Future.succeededFuture(now);
    })));
    return Future.join(asked).map(all -> statistics(all.<DeviceStatistics>list()));
  }

  NodeStatistics statistics(List<DeviceStatistics> ofDevices) {
    return new NodeStatistics(directory.nodeId(), directory.self().name(), ProductVersion.CURRENT,
      ProcessHandle.current().pid(), System.currentTimeMillis(), directory.type(),
      directory.nodes().stream().map(NodeEntry::nodeId).sorted().toList(), peerNodes(),
      directory.services().stream().filter(e -> e.nodeId().equals(directory.nodeId())).map(ServiceEntry::name).sorted().toList(),
      errors.connectsFailed(), errors.refused(), errors.refusals(), errors.ended(), ofDevices, adapters(),
      regions.statistics(), ways.now(), ways.byTcp(), errors.last());
  }

  /** Returns a number that changes whenever an event loop sends or receives. */
  long turns() {
    return loops.running().mapToLong(service -> service.loop.turns()).sum();
  }

  private List<AdapterStatistics> adapters() {
    return loops.running().map(service -> service.loop.domain.device()).distinct()
      .map(device -> new AdapterStatistics(device.name(), device.counterFolders().stream().map(Path::toString).toList(), List.of()))
      .filter(adapter -> !adapter.folders().isEmpty()).toList();
  }

  private List<PeerNode> peerNodes() {
    return directory.nodes().stream().filter(node -> !node.nodeId().equals(directory.nodeId()))
      .map(node -> new PeerNode(node.nodeId(), node.name(), node.version())).sorted(Comparator.comparing(PeerNode::nodeId)).toList();
  }

  public VertxInternal vertx() {
    return vertx;
  }

  public RdmaOptions options() {
    return options;
  }

  public DirectoryBackend directory() {
    return directory;
  }

  public ConnectionProofs connections() {
    return connections;
  }

  public SharedRegions regions() {
    return regions;
  }

  /** Returns whether a node has been silent for {@link RdmaOptions#getSuspectTimeout}. */
  public boolean isSuspected(String nodeId) {
    return control.isSuspected(nodeId);
  }

  public Future<InetSocketAddress> resolve(SocketAddress address) {
    if (address.port() < 0) {
      return Future.failedFuture(new IllegalArgumentException("cannot use the address " + address + ": it is not a host and port"));
    }
    return resolve(vertx, address.host(), options).map(ip -> new InetSocketAddress(ip, address.port()));
  }

  /** Resolves a host within the connect timeout. Vert.x's own resolver limits only each query. */
  public static Future<InetAddress> resolve(VertxInternal vertx, String host, RdmaOptions options) {
    long millis = options.getConnectTimeout().toMillis();
    return vertx.nameResolver().resolve(host).timeout(millis, TimeUnit.MILLISECONDS)
      .recover(cause -> Future.failedFuture(cause instanceof TimeoutException ? new RdmaException(Reason.UNREACHABLE,
        "cannot find the address of host '" + host + "': no name server answered within " + millis + " ms") : cause));
  }

  public void devicesHandler(Runnable task) {
    devices.addListener(found -> task.run());
  }

  private void linkLost(Link link) {
    failover.connectionBroke(link.loop().domain.device(), link.peer().nodeId());
  }

  static RdmaException closed() {
    return new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x");
  }

  /** Returns false if only kernel sockets can reach a server of a peer, according to its entries. */
  public boolean mayReachBeyondSockets(NodeEntry peer, List<FabricAddress> addresses) {
    ProcessIdentity self = directory.self().process();
    return devices.ranked().stream().filter(device -> !device.capabilities().kernelSocket()).anyMatch(device -> switch (device.reach()) {
      case PROCESS -> self.sameProcess(peer.process());
      case HOST -> self.host().equals(peer.process().host())
        || addresses.stream().anyMatch(address -> address.fabric().equals(device.fabric()) && device.subnets().contains(address.subnet()));
      case NETWORK -> true;
    });
  }

  /** Returns the node's event loop with its own queue for blocking calls. */
  LoopHost regionHost() {
    return new EventLoopHost(vertx.contextBuilder().withEventLoop(context.nettyEventLoop()).build());
  }

  /** Withdraws the node's directory entries and closes its control connections, within a bounded time. */
  public Future<Void> leave() {
    return directory.close().transform(d -> control.close());
  }

  public Future<Void> close() {
    return statisticsFile.close().transform(v -> regions.close()).transform(v -> closeLoops());
  }

  private Future<Void> closeLoops() {
    if (!loops.end()) {
      return Future.succeededFuture();
    }
    upkeep.close();
    failover.close();
    devices.stopSearching();
    peerStatistics.close();
    introducedConnector.close();
    connections.close();
    Future<Void> closing = loops.close();
    return directory.close().transform(d -> closing).transform(d -> control.close())
      .transform(d -> new BlockingCalls(context).<Void>call(() -> {
        liveness.close();
        devices.release();
        return null;
      }));
  }
}
