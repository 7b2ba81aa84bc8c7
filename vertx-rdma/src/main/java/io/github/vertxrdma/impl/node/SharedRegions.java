package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.github.vertxrdma.impl.region.Caller;
import io.github.vertxrdma.impl.region.KeySeal;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.impl.region.RegionRegistry;
import io.github.vertxrdma.impl.region.RegionToken;
import io.github.vertxrdma.impl.region.SplitRegion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
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
 * The named regions of this node, and the links over which it uses regions of others. The node listens once it shares a region. One link
 * per owner and event loop serves both directions. Thread-safe.
 */
public final class SharedRegions implements RegionRegistry.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(SharedRegions.class);
  private static final String SERVICE = "regions";
  private static final long TIMEOUT_MILLIS = 30_000;
  /** First pause between attempts to publish a region again; each is twice the one before. */
  private static final long PUBLISH_AGAIN_MILLIS = 1_000;
  private static final long LONGEST_PUBLISH_AGAIN_MILLIS = 30_000;
  /** Pauses between looks for another entry of a name grow from the first to the last. */
  private static final long FIRST_LOOK_MILLIS = 10;
  private static final long LAST_LOOK_MILLIS = 500;
  /** A region may also be refused for as long as it exists, since its owner does not expose it on the device of the connection. */
  private static final long REPLACED_MILLIS = 2_000;
  /** Holders of keys that do not answer delay no other. */
  private static final long EXPOSED_MILLIS = 1_000;

  private final Node node;
  private final RegionRegistry registry;
  private final KeySeal seal;
  private final Map<Key, Future<NodeLink>> links = new ConcurrentHashMap<>();
  private final Set<NodeLink> accepted = ConcurrentHashMap.newKeySet();
  /** Guarded by itself while the directory is called, so that both see one order. */
  private final Map<Long, RegionEntry> published = new HashMap<>();
  private final DirectoryWatch epochs;
  /** Number of changes of the devices that the service listens on. */
  private final AtomicInteger moves = new AtomicInteger();
  private Future<ListeningService> listening;
  private ContextInternal home;

  private record Key(EventLoop loop, String nodeId, long epoch, String forced, Set<String> fabrics, Device otherThan) {

    /** Returns the key of another loop's link to the same node, or this key if there is none. */
    Key shared(Set<Key> others) {
      List<Key> same = others.stream()
        .filter(other -> new Key(loop, other.nodeId, other.epoch, other.forced, other.fabrics, other.otherThan).equals(this)).toList();
      return same.isEmpty() ? this : same.get(Math.floorMod(loop.hashCode(), same.size()));
    }
  }

  SharedRegions(Node node, KeySeal seal) {
    this.node = node;
    this.registry = new RegionRegistry(node::regionHost, this);
    this.seal = seal;
    this.epochs = node.directory().watchEpoch(epoch -> publishAgain());
  }

  private void publishAgain() {
    registry.regions().stream().filter(region -> !region.name().isEmpty()).forEach(region -> publishAgain(region, 0));
  }

  /** Seals all keys under the secret that this node proves now. */
  void secretChanged() {
    publishAgain();
  }

  public RegionPeer peer(Link link) {
    return new RegionPeer(link, registry, TIMEOUT_MILLIS);
  }

  // ---- sharing

  /** Creates a region, published if it has a name. @param given memory of the application, null to allocate it */
  public Future<OwnedRegion> share(ContextInternal context, RegionOptions options, MemorySegment given) {
    if (options.getName().isEmpty()) {
      return registry.share(Caller.of(context), options, given, List.of());
    }
    return listen(options.getFabrics()).compose(service -> {
      int before = moves.get();
      return context.executeBlockingInternal(() -> domains(service))
        .compose(domains -> registry.share(Caller.of(context), options, given, domains))
        .compose(region -> before == moves.get() ? Future.succeededFuture(region) : exposeAgain(service).map(region));
    })
      .compose(region -> publish(region).map(v -> region).recover(cause -> region.close().transform(v -> Future.failedFuture(cause))));
  }

  /** Opens the devices that the service listens on. Blocks. */
  private List<Domain> domains(ListeningService service) {
    List<Domain> domains = new ArrayList<>();
    node.devices.ranked().stream().filter(device -> listensOn(service, device)).forEach(device -> {
      try {
        domains.add(node.devices.acquire(device));
      } catch (ProviderException e) {
        LOG.warn("A region is not exposed on " + device.name() + ": " + e.getMessage());
      }
    });
    return domains;
  }

  /** Registers regions on devices that were found later, or have failed and work again, and then publishes the addresses. */
  private void moved(ListeningService service) {
    moves.incrementAndGet();
    exposeAgain(service).onComplete(done -> publish(service));
  }

  private Future<Void> exposeAgain(ListeningService service) {
    Future<Void> exposed = node.context.executeBlockingInternal(() -> domains(service)).compose(registry::exposeAgain)
      .onFailure(cause -> LOG.warn("Regions are not exposed again", cause));
    return exposed.timeout(EXPOSED_MILLIS, TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  /** Returns whether peers that come over a device find each region there that has keys for its fabric. */
  private boolean mayListenOn(Device device) {
    return registry.regions().stream().allMatch(region -> region.isExposedLater() || !region.tokens().containsKey(device.fabric()));
  }

  private synchronized Future<ListeningService> listen(List<String> fabrics) {
    if (listening == null || listening.failed()) {
      home = node.vertx().createEventLoopContext();
      listening = ListeningService.byService(node, home, SERVICE, this::accept, this::mayListenOn)
        .onSuccess(service -> service.movedHandler(() -> moved(service)))
        .compose(service -> publish(service).recover(cause -> service.close().transform(v -> Future.failedFuture(cause))));
    }
    if (!fabrics.isEmpty()) {
      listening = listening
        .compose(service -> node.devices.findNamed(fabrics.stream()).compose(v -> listen(service, fabrics)).recover(cause -> {
          LOG.warn("Regions are not offered on all of " + fabrics + ": " + cause.getMessage());
          return Future.succeededFuture(service);
        }));
    }
    return listening;
  }

  private Future<ListeningService> listen(ListeningService service, List<String> fabrics) {
    List<Device> more = node.devices.ranked().stream().filter(d -> fabrics.contains(d.name()) || fabrics.contains(d.fabric()))
      .filter(device -> !listensOn(service, device)).toList();
    return more.isEmpty() ? Future.succeededFuture(service)
      : service.add(node, home, more, SERVICE, this::accept).compose(failures -> exposeAgain(service)).compose(v -> publish(service));
  }

  private static boolean listensOn(ListeningService service, Device device) {
    return service.listensOn(device);
  }

  private void accept(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      accepted.add(nodeLink(link));
    }
  }

  private Future<ListeningService> publish(ListeningService service) {
    return node.directory().publish(node.directory().self().withAddresses(service.addresses())).map(service);
  }

  private NodeLink nodeLink(Link link) {
    return new NodeLink(link, registry, TIMEOUT_MILLIS, closed -> {
      accepted.remove(closed);
      links.values().removeIf(used -> used.result() == closed);
    });
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
      // With restricted access the owner hands out keys itself.
      List<SealedKey> keys = region.tokens().entrySet().stream().map(e -> node.authorization.isGroup()
        ? seal.seal(bare, e.getKey(), e.getValue()) : new SealedKey(e.getKey(), new byte[0])).toList();
      // The keys are sealed for this generation. The region may have a newer one.
      RegionEntry entry = bare.withKeys(bare.generation(), keys);
      published.put(region.id(), entry);
      return directory.publish(entry);
    }
  }

  /**
   * Publishes a region after a rejoin. Retries until the directory accepts it, or another node has its name.
   *
   * @param pause milliseconds that preceded this attempt; 0 for the first
   */
  private void publishAgain(OwnedRegion region, long pause) {
    publish(region).onFailure(cause -> {
      if (cause instanceof IllegalStateException || cause instanceof RdmaException) {
        LOG.error("Region '" + region.name() + "' is not in the directory any more: " + cause.getMessage());
        return;
      }
      if (pause == 0) {
        LOG.warn("Region '" + region.name() + "' is not in the directory after the rejoin; it is published again until it is: "
          + cause.getMessage());
      }
      long next = Math.clamp(2 * pause, PUBLISH_AGAIN_MILLIS, LONGEST_PUBLISH_AGAIN_MILLIS);
      node.vertx().setTimer(next, id -> publishAgain(region, next));
    });
  }

  @Override
  public void keysChanged(OwnedRegion region) {
    if (!region.name().isEmpty()) {
      publish(region).onFailure(cause -> LOG.error("The new keys of region '" + region.name() + "' did not reach the directory: "
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
  public Future<Void> closing(OwnedRegion region) {
    synchronized (published) {
      RegionEntry entry = published.remove(region.id());
      return entry == null ? Future.succeededFuture() : node.directory().withdraw(entry);
    }
  }

  // ---- using

  /** Opens a region. If its owner has closed the one of the directory, waits for another entry of the name, as for a missing one. */
  public Future<RemoteRegion> open(ContextInternal context, String name, Duration lookup, String forced) {
    long began = System.nanoTime();
    return node.directory().awaitRegion(name, lookup)
      .recover(cause -> LookupFailure.ofRegion(node.directory(), name, lookup.toMillis(), cause))
      .compose(entry -> link(context, entry, forced, null).compose(link -> {
        RegionEntry now = node.directory().region(name)
          .filter(next -> next.nodeId().equals(entry.nodeId()) && next.epoch() == entry.epoch()).orElse(entry);
        return open(context, now, link).compose(region -> split(context, now, forced, link.device(), region))
          .recover(cause -> cause instanceof RdmaException refusal && refusal.reason() == Reason.NOT_FOUND
            ? replaced(now, Math.min(REPLACED_MILLIS, left(lookup, began).toMillis()), FIRST_LOOK_MILLIS, cause)
              .compose(v -> open(context, name, left(lookup, began), forced))
            : Future.failedFuture(cause));
      }));
  }

  private static Duration left(Duration lookup, long began) {
    Duration left = lookup.minusNanos(System.nanoTime() - began);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Waits until the directory has another entry of a region's name, or none. @return fails with the cause when the time has passed */
  private Future<Void> replaced(RegionEntry refused, long millis, long pause, Throwable cause) {
    if (millis <= 0) {
      return Future.failedFuture(cause);
    }
    if (!refused.equals(node.directory().region(refused.name()).orElse(null))) {
      return Future.succeededFuture();
    }
    long wait = Math.min(millis, pause);
    return node.vertx().timer(wait, TimeUnit.MILLISECONDS)
      .compose(v -> replaced(refused, millis - wait, Math.min(2 * pause, LAST_LOOK_MILLIS), cause));
  }

  private Future<RemoteRegion> open(ContextInternal context, RegionEntry entry, NodeLink link) {
    SealedKey sealed = entry.keys().stream().filter(key -> key.fabric().equals(link.device().fabric())).findFirst().orElse(null);
    RegionToken known = sealed == null || sealed.bytes().length == 0 ? null : seal.unseal(entry, sealed);
    return link.regions().open(Caller.of(context), entry.regionId(), known, entry.generation());
  }

  /** Opens a region over a second device too, if configured and available. */
  private Future<RemoteRegion> split(ContextInternal context, RegionEntry entry, String forced, Device first, RemoteRegion region) {
    int least = node.options().getRegionSplitSize();
    if (least == 0 || connector(context, entry, forced, first).firstDevice() == null) {
      return Future.succeededFuture(region);
    }
    return link(context, entry, forced, first).compose(link -> open(context, entry, link))
      .<RemoteRegion>map(second -> SplitRegion.of(region, second, least, Caller.of(context))).otherwise(cause -> {
        LOG.info("Region '" + entry.name() + "' is used over " + first.name() + " alone: " + cause.getMessage());
        return region;
      });
  }

  private Connector connector(ContextInternal context, RegionEntry region, String forced, Device otherThan) {
    NodeEntry owner = owner(region);
    List<FabricAddress> addresses = owner.addresses().stream().filter(address -> fabrics(region).contains(address.fabric())).toList();
    Connector connector = new Connector(node, context, "node " + region.nodeId() + ", which owns region '" + region.name() + "'", SERVICE,
      new byte[0], forced).peer(owner, addresses);
    return otherThan == null ? connector : connector.otherThan(otherThan);
  }

  private NodeEntry owner(RegionEntry region) {
    return node.directory().node(region.nodeId()).orElse(NodeEntry.local(region.nodeId(), region.epoch()));
  }

  private static Set<String> fabrics(RegionEntry region) {
    return Set.copyOf(region.keys().stream().map(SealedKey::fabric).toList());
  }

  /** @param otherThan device of an existing link, to use another one of its fabric */
  private Future<NodeLink> link(ContextInternal context, RegionEntry region, String forced, Device otherThan) {
    Key own = new Key(context.nettyEventLoop(), region.nodeId(), region.epoch(), forced, fabrics(region), otherThan);
    Key key = own;
    Future<NodeLink> known = links.get(own);
    if (known == null) {
      Connector connector = connector(context, region, forced, otherThan);
      key = isFull(connector.firstDevice()) ? own.shared(links.keySet()) : own;
      known = links.computeIfAbsent(key, k -> accepted.stream()
        .filter(link -> link.leadsTo(owner(region), connector.firstDevice(), k.loop)).findAny().map(Future::succeededFuture)
        .orElseGet(() -> connector.connect((link, choice) -> nodeLink(link))));
    }
    Key used = key;
    Future<NodeLink> found = known;
    // Another caller may have replaced the future.
    found.onFailure(cause -> links.remove(used, found));
    NodeLink link = found.result();
    if (link != null && link.isClosed()) {
      // The link ended before it was in the map.
      links.remove(used, found);
    }
    return found;
  }

  /** Returns whether an adapter has as many links as event loops may have before they share them. */
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
}
