package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.auth.Authorization;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.github.vertxrdma.impl.auth.SecretHandshake;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.ControlSettings;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.directory.ControlAware;
import io.github.vertxrdma.impl.directory.ProductVersion;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.impl.process.Setting;
import io.github.vertxrdma.impl.region.KeySeal;
import io.github.vertxrdma.impl.statistics.StatisticsMap;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** This process as a node: its devices, the directory, who it is, and what runs on each event loop. Thread-safe. */
public final class Node {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  /** System property, and environment variable {@code VERTX_RDMA_NAME}: the name of nodes whose options give none. */
  public static final String NAME = "vertx.rdma.name";

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final RdmaOptions options;
  private final LoopOptions linkOptions;
  private final InetAddress host;
  private final Devices devices;
  /** Devices to listen on. */
  private final List<Device> listenDevices;
  private volatile Selection selection;
  private final DirectoryBackend directory;
  private final ClusterSecret secret;
  private final SecretHandshake handshake;
  private final Authorization authorization;
  private final PeerLinks peers;
  private final ControlLinks control;
  private final PeerStatistics peerStatistics;
  private final Introductions introductions;
  private final SharedRegions regions;
  private final Adapters adapters;
  private final Troubles troubles = new Troubles();
  private final StatisticsFile statisticsFile = new StatisticsFile(this, StatisticsMap::create);
  private final LoopHomes homes;
  private final Map<Key, Future<LoopService>> loops = new ConcurrentHashMap<>();
  private final Map<Device, Domain> acquired = new HashMap<>();
  private boolean closed;
  /** Nothing more is acquired; guarded by what was. */
  private boolean released;

  /** One device on one event loop. */
  private record Key(EventLoop loop, Device device) {
  }

  private Node(ContextInternal context, RdmaOptions options, InetAddress host, Devices devices, DirectoryBackend directory,
    ClusterSecret secret) {
    this.vertx = context.owner();
    this.context = context;
    this.options = options;
    this.host = host;
    this.devices = devices;
    this.directory = directory;
    this.secret = secret;
    this.homes = new LoopHomes(options.getMaxRdmLoops());
    this.handshake = new SecretHandshake(secret, directory::self);
    this.authorization = new Authorization(options.getAuthorizer(), directory::nodeId);
    this.peers = new PeerLinks(directory, troubles, this::lost);
    int suspectMillis = (int) options.getSuspectTimeout().toMillis();
    int deadMillis = (int) options.getDeadTimeout().toMillis();
    int lastPort = options.getControlPort() == 0 ? 0 : options.getControlPort() + options.getControlPortCount() - 1;
    this.control = new ControlLinks(context, new ControlSettings(host.getHostAddress()).withPorts(options.getControlPort(), lastPort)
      .withSilence(suspectMillis, Math.max(suspectMillis, deadMillis)), secret, directory::self)
      .deathHandler(peers::died).refusalHandler(troubles::refused);
    this.peers.control(control);
    this.peerStatistics = new PeerStatistics(this, control);
    this.introductions = new Introductions(this, control);
    if (directory instanceof ControlAware aware) {
      aware.attach(control);
    }
    this.regions = new SharedRegions(this, new KeySeal(secret));
    this.linkOptions = new LoopOptions(options.getBufferSize(), options.getDataCredits(), options.getControlCredits(),
      Math.max(options.getFragmentSize(), options.getBufferSize()), options.getMaxMessageSize(),
      (int) options.getCloseIdleTimeout().toMillis(), suspectMillis, deadMillis, options.getNotifyInlineLimit(), options.getZeroCopyBytes());
    this.selection = select(devices.all());
    this.listenDevices = options.getFabric() == null ? worthListening(selection.ranked()) : selection.ranked();
    this.adapters = new Adapters(this, control);
  }

  /**
   * Finds devices, reads the secret, opens the directory and publishes this node.
   */
  public static Future<Node> start(VertxInternal vertx, RdmaOptions options) {
    return start(vertx, options, () -> DirectoryBackend.open(vertx, options.getDirectory()));
  }

  /** The same with a directory that is open; it is closed with the node, also if that cannot start. */
  public static Future<Node> start(VertxInternal vertx, RdmaOptions options, DirectoryBackend directory) {
    return start(vertx, options, () -> Future.succeededFuture(directory)).recover(cause -> directory.close().transform(v ->
      Future.failedFuture(cause)));
  }

  private static Future<Node> start(VertxInternal vertx, RdmaOptions options, Supplier<Future<DirectoryBackend>> open) {
    // The only turn that a node takes of the event loops: more would change which of them an application's verticles and servers share.
    ContextInternal context = vertx.createEventLoopContext();
    return context.<Started>executeBlockingInternal(() -> {
      InetAddress host = host(vertx, options);
      Map<String, String> settings = new HashMap<>();
      options.getSettings().forEach(e -> settings.put(e.getKey(), String.valueOf(e.getValue())));
      if (options.getFabric() != null) {
        settings.put(Devices.FABRIC, options.getFabric());
      }
      return new Started(host, Devices.find(new DiscoveryOptions(host, settings)), ClusterSecret.load(options.getSecretFile()));
    }).compose(found -> open.get()
      // Keys are derived, for which the JDK loads much the first time.
      .compose(directory -> context.executeBlockingInternal(() -> new Node(context, options, found.host, found.devices, directory, found.secret))
        .recover(cause -> directory.close().transform(v -> Future.failedFuture(cause)))))
      .compose(node -> node.selection.ranked().isEmpty()
        ? node.<Node>without(options.getFabric()).eventually(node::close)
        : node.publish().map(node).onSuccess(Node::started)
          .recover(cause -> node.close().transform(v -> Future.failedFuture(cause))));
  }

  /** The host that was asked for, else that of this node in its cluster, which the other members reach. Blocks. */
  private static InetAddress host(VertxInternal vertx, RdmaOptions options) throws UnknownHostException {
    if (options.getHost() != null) {
      return InetAddress.ofLiteral(options.getHost());
    }
    String cluster = vertx.isClustered() ? vertx.clusterManager().clusterHost() : null;
    return cluster == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(cluster);
  }

  /** Listens for control connections and tells the directory. */
  private Future<Void> publish() {
    SecretAdvice.watch(directory, secret);
    for (Device device : selection.ranked()) {
      if (!device.capabilities().connectsBy(Connecting.LISTENER)) {
        LOG.info(device.name() + " has no listeners: nodes connect over it out of band, introduced over their control connections");
      }
    }
    return control.listen().compose(port -> directory.publish(directory.self().withSecretId(secret.id())
      .withControl(host.getHostAddress(), port).withName(name())));
  }

  private String name() {
    String given = options.getName() == null ? Setting.of(NAME) : options.getName();
    return given == null ? NodeName.own(directory.self().process().host()) : given;
  }

  private void started() {
    statisticsFile.start();
    adapters.start();
    LOG.info("vertx-rdma " + ProductVersion.CURRENT + ": node " + directory.self().name() + " (" + directory.nodeId() + ") in the "
      + directory.where() + "; fabrics "
      + selection.ranked().stream().map(Device::name).distinct().collect(Collectors.joining(", ")) + "; " + secret);
  }

  /** The findings of the start, made off the loop. */
  private record Started(InetAddress host, Devices devices, ClusterSecret secret) {
  }

  Authorization authorization() {
    return authorization;
  }

  Troubles troubles() {
    return troubles;
  }

  /** Statistics of this node: asks each event loop in use. Any thread. */
  public Future<NodeStatistics> statistics() {
    return statistics(false);
  }

  /** Statistics of another node, or this one; it measures round trips meanwhile. Any thread. */
  public Future<NodeStatistics> statistics(String nodeId) {
    if (nodeId.equals(directory.nodeId())) {
      return statistics(true);
    }
    return directory.node(nodeId).map(peerStatistics::ask).orElseGet(() -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND,
      "there is no node '" + nodeId + "' in the " + directory.where())));
  }

  /** @param measured whether connections measure round trips too, of which the next statistics tell */
  Future<NodeStatistics> statistics(boolean measured) {
    List<Future<DeviceStatistics>> asked = new ArrayList<>();
    for (Future<LoopService> running : loops.values()) {
      if (running.succeeded()) {
        DeviceLoop loop = running.result().loop;
        asked.add(on(loop.eventLoop(), () -> {
          DeviceStatistics now = loop.statistics();
          if (measured) {
            loop.measureRoundTrips();
          }
          return Future.succeededFuture(now);
        }));
      }
    }
    return Future.join(asked).map(all -> new NodeStatistics(directory.nodeId(), directory.self().name(), ProcessHandle.current().pid(),
      System.currentTimeMillis(), directory.type(), directory.nodes().stream().map(NodeEntry::nodeId).sorted().toList(),
      directory.services().stream().filter(e -> e.nodeId().equals(directory.nodeId())).map(ServiceEntry::name).sorted().toList(),
      troubles.connectsFailed(), troubles.refused(), all.<DeviceStatistics>list(), regions.statistics(), troubles.last()));
  }

  public VertxInternal vertx() {
    return vertx;
  }

  /** Of the event loop that does what belongs to no device. */
  ContextInternal context() {
    return context;
  }

  public RdmaOptions options() {
    return options;
  }

  public DirectoryBackend directory() {
    return directory;
  }

  /** The regions it shares and those it uses. */
  public SharedRegions regions() {
    return regions;
  }

  /** Devices that can be used, best first, and why others that were looked at cannot. */
  public Selection selection() {
    return selection;
  }

  /** Whether there may be devices that were not looked for, since this node has others which do the same. */
  boolean hasFallbacks() {
    return devices.hasFallbacks();
  }

  /** Looks for them, the first time: from then on they are among the others. */
  Future<Void> findFallbacks() {
    return context.executeBlockingInternal(() -> {
      selection = select(Stream.concat(devices.all().stream(), devices.ofFallbacks().stream()).toList());
      return null;
    });
  }

  /** Looks for them if no other device has one of these names, or is on a fabric of that name. */
  Future<Void> look(Stream<String> names) {
    return hasFallbacks() && names.anyMatch(name -> selection.ranked().stream().noneMatch(d -> d.name().equals(name) || d.fabric().equals(name)))
      ? findFallbacks() : Future.succeededFuture();
  }

  /** The devices it is worth to listen on; one that is forced alone. */
  List<Device> listenDevices() {
    return listenDevices;
  }

  /**
   * Of those that reach this host only the connected ones, else reliable datagrams; of the network the adapters' own and the connected ones,
   * reliable datagrams over others only where nothing is connected.
   */
  static List<Device> worthListening(List<Device> all) {
    boolean connected = all.stream().anyMatch(d -> d.reach() == Device.Reach.NETWORK && d.endpointType() == EndpointType.MSG);
    boolean local = all.stream().anyMatch(d -> d.reach() == Device.Reach.HOST && d.endpointType() == EndpointType.MSG);
    return all.stream().filter(d -> d.reach() == Device.Reach.HOST ? d.endpointType() == EndpointType.MSG || !local
      : d.preference() != Device.Preference.RDM || !connected).toList();
  }

  /** The best connected device that is reached by host and port; null if there is none. */
  public Device byIp() {
    return selection.ranked().stream().filter(this::isByIp).findFirst().orElse(null);
  }

  /** Whether a device is connected and reached by host and port. */
  public boolean isByIp(Device device) {
    return device.reach() == Device.Reach.NETWORK && device.endpointType() == EndpointType.MSG
      && device.capabilities().connectsBy(Connecting.LISTENER);
  }

  /** Resolves a host name. */
  public Future<InetSocketAddress> resolve(SocketAddress address) {
    if (address.port() < 0) {
      return Future.failedFuture(new IllegalArgumentException(address + " is not a host and port"));
    }
    return vertx.nameResolver().resolve(address.host()).map(ip -> new InetSocketAddress(ip, address.port()));
  }

  /** The best device that has a name, or whose fabric has it. */
  public Future<Device> named(String name) {
    return look(Stream.of(name)).compose(v -> {
      Selection named = Selection.of(Requirements.BASIC.withFabric(name), selection.ranked());
      return named.ranked().isEmpty() ? without(name) : Future.succeededFuture(named.ranked().getFirst());
    });
  }

  /** Fails with what there is instead of a fabric or device. */
  private <T> Future<T> without(String name) {
    return context.executeBlockingInternal(() -> {
      Devices there = devices.everything();
      throw there.none(name, select(there.all()));
    });
  }

  /** The devices of this machine, those too that were not looked for because another one is forced, which cannot be used. */
  public Future<Selection> everything() {
    return context.executeBlockingInternal(() -> select(devices.everything().all()));
  }

  private Selection select(List<Device> from) {
    return Selection.of(Requirements.BASIC.withFabric(options.getFabric()), from);
  }

  /** A device of the ranked ones, by fabric. */
  Device device(String fabric) {
    for (Device device : selection.ranked()) {
      if (device.fabric().equals(fabric)) {
        return device;
      }
    }
    return null;
  }

  /** The loop of a device for the context's event loop, on it or on another ({@link LoopHomes}), started by the first call. */
  Future<LoopService> loop(ContextInternal context, Device device) {
    synchronized (this) {
      if (closed) {
        return Future.failedFuture(closed());
      }
      Key key = new Key(homes.of(context.nettyEventLoop(), device), device);
      Future<LoopService> running = loops.get(key);
      if (running == null) {
        ContextInternal own = vertx.contextBuilder().withEventLoop(key.loop).build();
        running = own.<Domain>executeBlockingInternal(() -> acquire(device)).compose(domain -> DeviceLoop.open(own, domain, linkOptions))
          .map(loop -> new LoopService(loop, directory::self, handshake, authorization, peers));
        loops.put(key, running);
        running.onFailure(cause -> loops.remove(key));
      }
      return running;
    }
  }

  private void lost(Link link) {
    adapters.broke(link.loop().domain.device(), link.peer().nodeId());
  }

  /** The devices of one fabric, and which is tried first. */
  Adapters adapters() {
    return adapters;
  }

  private List<DeviceLoop> running(Device device) {
    return loops.values().stream().filter(Future::succeeded).map(loop -> loop.result().loop)
      .filter(loop -> loop.domain.device().equals(device)).toList();
  }

  /** The reason why a device that is in use carries nothing; empty if it does, or is not in use. */
  String outage(Device device) {
    return running(device).stream().findFirst().map(loop -> loop.domain.outage()).orElse("");
  }

  /** Ends all connections over a device. */
  void endAll(Device device, Throwable cause) {
    running(device).forEach(loop -> loop.eventLoop().execute(() -> loop.failed(cause)));
  }

  /** See {@link PeerLinks#suspect}. */
  void suspect(String peer, String why) {
    peers.suspect(peer, why);
  }

  /** The one with that number; null if there is none. */
  LoopService loop(long number) {
    for (Future<LoopService> running : loops.values()) {
      if (running.succeeded() && running.result().number() == number) {
        return running.result();
      }
    }
    return null;
  }

  /** Introductions of nodes on devices without listeners. */
  Introductions introductions() {
    return introductions;
  }

  /** Opens a device, the first time; blocks. It stays open as long as the node. */
  public Domain acquire(Device device) {
    synchronized (acquired) {
      if (released) {
        throw closed();
      }
      return acquired.computeIfAbsent(device, devices::acquire);
    }
  }

  private static RdmaException closed() {
    return new RdmaException(Reason.CLOSED, "RDMA was closed in this Vert.x");
  }

  /** Looks after a region: the node's own loop, with a queue of its own for what blocks. */
  LoopHost regionHost() {
    return new EventLoopHost(vertx.contextBuilder().withEventLoop(context.nettyEventLoop()).build());
  }

  /** Runs something on an event loop. */
  public static <T> Future<T> on(EventLoop loop, Supplier<Future<T>> call) {
    if (loop.inEventLoop()) {
      return call.get();
    }
    Promise<T> promise = Promise.promise();
    loop.execute(() -> {
      try {
        call.get().onComplete(promise);
      } catch (RuntimeException e) {
        promise.fail(e);
      }
    });
    return promise.future();
  }

  /** Closes the loops, the directory and the devices. */
  public Future<Void> close() {
    return statisticsFile.close().transform(v -> regions.close()).transform(v -> closeLoops());
  }

  private Future<Void> closeLoops() {
    List<Future<LoopService>> running;
    synchronized (this) {
      if (closed) {
        return Future.succeededFuture();
      }
      closed = true;
      running = List.copyOf(loops.values());
    }
    adapters.close();
    peerStatistics.close();
    introductions.close();
    RdmaException cause = closed();
    List<Future<Void>> closing = new ArrayList<>();
    for (Future<LoopService> loop : running) {
      closing.add(loop.compose(service -> on(service.loop.eventLoop(), () -> service.close(cause)), failed -> Future.succeededFuture()));
    }
    return directory.close().transform(d -> Future.join(closing)).transform(d -> control.close()).transform(d -> vertx.<Void>executeBlocking(() -> {
      synchronized (acquired) {
        released = true;
        acquired.keySet().forEach(devices::release);
        acquired.clear();
      }
      return null;
    }));
  }
}
