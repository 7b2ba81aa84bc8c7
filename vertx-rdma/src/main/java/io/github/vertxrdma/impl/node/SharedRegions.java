package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.region.Caller;
import io.github.vertxrdma.impl.region.KeySeal;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.impl.region.RegionRegistry;
import io.github.vertxrdma.impl.region.RegionToken;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory regions that this node shares, and links to regions of other nodes. The node listens for such links after it has shared a named
 * region. Thread-safe.
 */
public final class SharedRegions implements RegionRegistry.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(SharedRegions.class);
  private static final String SERVICE = "regions";
  private static final long TIMEOUT_MILLIS = 30_000;
  private static final Attempts.Limits PUBLISH_PAUSES = Attempts.Limits.endless(1_000, 30_000);
  private static final Attempts.Limits LOOK_PAUSES = Attempts.Limits.endless(10, 500);
  /** Maximum wait in ms for a changed directory entry after an owner answered that it does not have the region. */
  private static final long REPLACED_MILLIS = 2_000;
  private static final long EXPOSED_MILLIS = 1_000;

  private final Node node;
  private final RegionRegistry registry;
  private final KeySeal seal;
  private final Map<Key, Future<NodeLink>> links = new ConcurrentHashMap<>();
  private final Set<NodeLink> accepted = ConcurrentHashMap.newKeySet();
  /**
   * Published directory entries by region id. Locked while the directory is called, so that the map and the directory change in the same
   * order.
   */
  private final Map<Long, RegionEntry> published = new HashMap<>();
  private final DirectoryWatch epochs;
  private final AtomicInteger deviceChanges = new AtomicInteger();
  private Future<ListeningService> listening;

  private record Key(EventLoop loop, String nodeId, long epoch, String forced, Set<String> fabrics) {

    /** Returns the key of another loop's link to the same node, or this key if there is none. */
    Key shared(Set<Key> others) {
      List<Key> same = others.stream()
        .filter(other -> new Key(loop, other.nodeId, other.epoch, other.forced, other.fabrics).equals(this)).toList();
      return same.isEmpty() ? this : same.get(Math.floorMod(loop.hashCode(), same.size()));
    }
  }

  SharedRegions(Node node, KeySeal seal) {
    this.node = node;
    this.registry = new RegionRegistry(node::regionHost, this);
    this.seal = seal;
    this.epochs = node.directory().watchEpoch(epoch -> publishAgain());
  }

  /** Publishes all named regions again, after this node rejoined the directory or the cluster secret changed. */
  void publishAgain() {
    registry.regions().stream().filter(region -> !region.name().isEmpty()).forEach(region -> publishAgain(region, null));
  }

  public RegionPeer peer(Link link) {
    return new RegionPeer(link, registry, TIMEOUT_MILLIS);
  }

  /** Creates a region, and publishes it if it has a name. @param given memory of the application; null to allocate it */
  public Future<OwnedRegion> share(ContextInternal context, RegionOptions options, MemorySegment given) {
    if (options.getName().isEmpty()) {
      return registry.share(Caller.of(context), options, given, List.of());
    }
    return listen(options.getFabrics()).compose(service -> {
      int before = deviceChanges.get();
      return BlockingCalls.once(context, () -> domains(service))
        .compose(domains -> registry.share(Caller.of(context), options, given, domains))
        .compose(region -> before == deviceChanges.get() ? Future.succeededFuture(region) : exposeAgain(service).map(region));
    })
      .compose(region -> publish(region).map(v -> region).recover(cause -> region.close().transform(v -> Future.failedFuture(cause))));
  }

  private List<Domain> domains(ListeningService service) {
    List<Domain> domains = new ArrayList<>();
    node.devices.ranked().stream().filter(device -> service.listensOn(device)).forEach(device -> {
      try {
        domains.add(node.devices.acquire(device));
      } catch (ProviderException e) {
        LOG.warn("Peers cannot use a region over " + device.name() + ": " + e.getMessage());
      }
    });
    return domains;
  }

  /** Registers the regions on devices that were found or recovered, and then publishes the new addresses. */
  private void devicesChanged(ListeningService service) {
    deviceChanges.incrementAndGet();
    exposeAgain(service).onComplete(done -> publish(service));
  }

  private Future<Void> exposeAgain(ListeningService service) {
    Future<Void> exposed = BlockingCalls.once(node.context, () -> domains(service)).compose(registry::exposeAgain)
      .onFailure(cause -> LOG.warn("Peers cannot use the regions of this node over a device that works again", cause));
    return exposed.timeout(EXPOSED_MILLIS, TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  /** Returns whether every region with a key for the device's fabric is or will be registered on the device. */
  private boolean mayListenOn(Device device) {
    return registry.regions().stream().allMatch(region -> region.isExposedLater() || !region.tokens().containsKey(device.fabric()));
  }

  private synchronized Future<ListeningService> listen(List<String> fabrics) {
    if (listening == null || listening.failed()) {
      listening = ListeningService
        .byService(node, node.vertx().createEventLoopContext(), SERVICE, this::accept, device -> true, this::mayListenOn)
        .onSuccess(service -> service.addMovedHandler(() -> devicesChanged(service)))
        .compose(service -> publish(service).recover(cause -> service.close().transform(v -> Future.failedFuture(cause))));
    }
    if (!fabrics.isEmpty()) {
      listening = listening
        .compose(service -> node.devices.findNamed(fabrics.stream()).compose(v -> listen(service, fabrics)).recover(cause -> {
          LOG.warn("Peers cannot open the regions of this node over all of the fabrics " + fabrics + ": " + cause.getMessage());
          return Future.succeededFuture(service);
        }));
    }
    return listening;
  }

  private Future<ListeningService> listen(ListeningService service, List<String> fabrics) {
    List<Device> more = node.devices.ranked().stream().filter(d -> fabrics.contains(d.name()) || fabrics.contains(d.fabric()))
      .filter(device -> !service.listensOn(device)).toList();
    return more.isEmpty() ? Future.succeededFuture(service)
      : service.add(more).compose(failures -> exposeAgain(service)).compose(v -> publish(service));
  }

  private void accept(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      accepted.add(new NodeLink(link));
    }
  }

  private Future<ListeningService> publish(ListeningService service) {
    return node.directory().publish(node.directory().self().withAddresses(service.addresses())).map(service);
  }

  private Future<Void> publish(OwnedRegion region) {
    DirectoryBackend directory = node.directory();
    synchronized (published) {
      if (!region.isOpen()) {
        // The region is closing: an entry published now would never be withdrawn.
        return Future.succeededFuture();
      }
      RegionEntry bare = new RegionEntry(region.name(), directory.nodeId(), directory.epoch(), region.id(), region.size(),
        region.access(), region.generation(), region.authority(), List.of());
      // If an authorizer is set, entries contain no keys: the owner sends keys to permitted nodes only.
      List<SealedKey> keys = region.tokens().entrySet().stream().map(e -> node.authorization.isGroup()
        ? seal.seal(bare, e.getKey(), e.getValue()) : new SealedKey(e.getKey(), new byte[0])).toList();
      // The keys are sealed for this generation. The region may already have a newer one.
      RegionEntry entry = bare.withKeys(bare.generation(), keys);
      published.put(region.id(), entry);
      return directory.publish(entry);
    }
  }

  /**
   * Publishes a region after a rejoin. Retries until the directory accepts or refuses it.
   *
   * @param failed pauses of the earlier attempts; null for the first
   */
  private void publishAgain(OwnedRegion region, Attempts failed) {
    publish(region).onFailure(cause -> {
      if (cause instanceof IllegalStateException || cause instanceof RdmaException) {
        LOG.error("Region '" + region.name() + "' is not in the directory any more: " + cause.getMessage());
        return;
      }
      if (failed == null) {
        LOG.warn("Region '" + region.name() + "' is not in the directory after this node rejoined it. Publishing it will be retried: "
          + cause.getMessage());
      }
      Attempts next = failed == null ? new Attempts(PUBLISH_PAUSES) : failed;
      node.vertx().setTimer(next.pauseMillis(), id -> publishAgain(region, next));
    });
  }

  @Override
  public void keysChanged(OwnedRegion region) {
    if (!region.name().isEmpty()) {
      publish(region).onFailure(cause -> LOG.error("The new keys of region '" + region.name() + "' could not be published in the "
        + "directory: "
        + cause.getMessage()));
    }
  }

  @Override
  public Authorization authorization() {
    return node.authorization;
  }

  @Override
  public void refused(Reason reason, String why) {
    node.errors.refused(reason, why);
  }

  @Override
  public Future<Void> closing(OwnedRegion region, long timeoutMillis) {
    synchronized (published) {
      RegionEntry entry = published.remove(region.id());
      if (entry == null) {
        return Future.succeededFuture();
      }
      // Without a context, because the caller's context may be blocked or closed at the timeout.
      Promise<Void> withdrawn = Promise.promise();
      node.directory().withdraw(entry).onComplete(withdrawn);
      return withdrawn.future().timeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }
  }

  /** Opens a region. If the owner no longer has it, waits for a changed directory entry and retries. */
  public Future<RemoteRegion> open(ContextInternal context, String name, Duration lookup, String forced) {
    long began = System.nanoTime();
    return node.directory().awaitRegion(name, lookup)
      .recover(cause -> LookupFailure.ofRegion(node.directory(), name, lookup.toMillis(), cause))
      .compose(entry -> link(context, entry, forced).compose(link -> {
        RegionEntry now = node.directory().region(name)
          .filter(next -> next.nodeId().equals(entry.nodeId()) && next.epoch() == entry.epoch()).orElse(entry);
        return open(context, now, link)
          .recover(cause -> cause instanceof RdmaException refusal && refusal.reason() == Reason.NOT_FOUND
            ? replaced(now, Math.min(REPLACED_MILLIS, left(lookup, began).toMillis()), new Attempts(LOOK_PAUSES), cause)
              .compose(v -> open(context, name, left(lookup, began), forced))
            : Future.failedFuture(cause));
      }));
  }

  private static Duration left(Duration lookup, long began) {
    Duration left = lookup.minusNanos(System.nanoTime() - began);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Waits until the directory's entry of a region changes. @return future that fails with {@code cause} after {@code millis} */
  private Future<Void> replaced(RegionEntry refused, long millis, Attempts looks, Throwable cause) {
    if (millis <= 0) {
      return Future.failedFuture(cause);
    }
    if (!refused.equals(node.directory().region(refused.name()).orElse(null))) {
      return Future.succeededFuture();
    }
    long wait = Math.min(millis, looks.pauseMillis());
    return node.vertx().timer(wait, TimeUnit.MILLISECONDS)
      .compose(v -> replaced(refused, millis - wait, looks, cause));
  }

  private Future<RemoteRegion> open(ContextInternal context, RegionEntry entry, NodeLink link) {
    SealedKey sealed = entry.keys().stream().filter(key -> key.fabric().equals(link.device().fabric())).findFirst().orElse(null);
    RegionToken known = sealed == null || sealed.bytes().length == 0 ? null : seal.unseal(entry, sealed);
    return link.regions.open(Caller.of(context), entry.regionId(), known, entry.generation());
  }

  private Connector connector(ContextInternal context, RegionEntry region, String forced) {
    NodeEntry owner = owner(region);
    List<FabricAddress> addresses = owner.addresses().stream().filter(address -> fabrics(region).contains(address.fabric())).toList();
    return new Connector(node, context, "node " + region.nodeId() + ", which owns region '" + region.name() + "'", SERVICE,
      new byte[0], forced).peer(owner, addresses);
  }

  private NodeEntry owner(RegionEntry region) {
    return node.directory().node(region.nodeId()).orElse(NodeEntry.local(region.nodeId(), region.epoch()));
  }

  private static Set<String> fabrics(RegionEntry region) {
    return Set.copyOf(region.keys().stream().map(SealedKey::fabric).toList());
  }

  private Future<NodeLink> link(ContextInternal context, RegionEntry region, String forced) {
    Key own = new Key(context.nettyEventLoop(), region.nodeId(), region.epoch(), forced, fabrics(region));
    Key key = own;
    Future<NodeLink> known = links.get(own);
    if (known == null) {
      Connector connector = connector(context, region, forced);
      key = isFull(connector.firstDevice()) ? own.shared(links.keySet()) : own;
      known = links.computeIfAbsent(key, k -> accepted.stream()
        .filter(link -> link.leadsTo(owner(region), connector.firstDevice(), k.loop)).findAny().map(Future::succeededFuture)
        .orElseGet(() -> connector.connect((link, choice) -> new NodeLink(link))));
    }
    Key used = key;
    Future<NodeLink> found = known;
    // Removes only this future, because another caller may have replaced it.
    found.onFailure(cause -> links.remove(used, found));
    NodeLink link = found.result();
    if (link != null && link.closed) {
      // The link may have ended before it was in the map.
      links.remove(used, found);
    }
    return found;
  }

  /** Returns whether a device has its maximum of region links, so that further event loops share one. */
  private boolean isFull(Device device) {
    return device != null && device.capabilities().pinned() && links.values().stream().map(Future::result)
      .filter(link -> link == null || link.device() == device).count() >= node.options().getMaxRegionLinks();
  }

  List<RegionStatistics> statistics() {
    return registry.regions().stream().map(region -> new RegionStatistics(region.name(), region.size(),
      region.holders().stream().map(RegionHolder::nodeId).toList())).toList();
  }

  Future<Void> close() {
    Future<ListeningService> service;
    synchronized (this) {
      service = listening;
    }
    epochs.close();
    return registry.closeAll().transform(v -> service == null ? Future.succeededFuture() : service.compose(ListeningService::close));
  }

  private final class NodeLink implements MessageHandler {
    private final Link link;
    private final RegionPeer regions;
    private volatile boolean closed;

    NodeLink(Link link) {
      this.link = link;
      this.regions = new RegionPeer(link, registry, TIMEOUT_MILLIS);
      link.handler(this);
    }

    Device device() {
      return link.loop().domain.device();
    }

    /** Returns whether the link connects to this run (epoch) of the node, over this device and event loop. */
    boolean leadsTo(NodeEntry node, Device device, EventLoop loop) {
      return link.loop().eventLoop() == loop && device() == device && link.peer().nodeId().equals(node.nodeId())
        && link.peer().epoch() == node.epoch();
    }

    @Override
    public void message(ByteBuf message) {
      message.release();
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent a message over a connection that is for remote "
        + "memory only"));
    }

    @Override
    public void closed(Throwable cause) {
      closed = true;
      accepted.remove(this);
      links.values().removeIf(used -> used.result() == this);
    }
  }
}
