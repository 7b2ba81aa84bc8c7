package io.github.vertxrdma.cluster.impl;

import com.hazelcast.client.Client;
import com.hazelcast.client.ClientListener;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.map.IMap;
import com.hazelcast.map.MapPartitionLostEvent;
import com.hazelcast.map.listener.MapPartitionLostListener;
import com.hazelcast.version.MemberVersion;
import com.hazelcast.version.Version;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.peers.AbstractDirectory;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Directory in a Hazelcast map. A Hazelcast event removes the entries of a lost member or client. If the event is missed, they expire with
 * the lease of their node. Three times per lease, each node renews its own entry and reads the entire map, on separate threads because
 * these calls wait for stopped members. Hazelcast's own expiry is not used, because it compares wall clocks.
 */
public final class ClusterDirectory extends AbstractDirectory implements MembershipListener, ClientListener, MapPartitionLostListener {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDirectory.class);
  private static final long CLIENT_GRACE_MILLIS = 2_000;
  private static final long SHORTEST_TICK_MILLIS = 1_000;
  private static final long LONGEST_TICK_MILLIS = 5_000;
  private static final long FOR_EVER = 0;
  /** Minor version of the Hazelcast that vertx-hazelcast is released with. */
  private static final Version TESTED = Version.of("5.6");
  private static final AtomicBoolean VERSION_CHECKED = new AtomicBoolean();

  private final HazelcastInstance hazelcast;
  private final IMap<String, byte[]> map;
  private final MapMirror mirror;
  private final String group;
  private final long leaseMillis;
  private final boolean client;
  private final Runnable afterClose;
  private final BlockingCalls renewer = new BlockingCalls(loop);
  private final BlockingCalls ticks = new BlockingCalls(loop);
  private final AtomicBoolean renewing = new AtomicBoolean();
  private final AtomicBoolean refreshing = new AtomicBoolean();
  /** Flags of renewals and refreshes that failed the last time. An outage lasts while the set has elements. Synchronized on itself. */
  private final Set<AtomicBoolean> failing = new HashSet<>();
  private final List<Runnable> removals = new ArrayList<>();
  private final long refreshTimer;
  private final long leaseTimer;
  private final AtomicInteger renewals = new AtomicInteger();
  /** Monitor: the removal of this node's entry waits for a renewal. */
  private final Object lease = new Object();
  /** Epoch of this node's stored entry, or 0. {@link #lease} guards this field and the next. */
  private long storedEpoch;
  private boolean sameIdTold;

  private ClusterDirectory(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options, String nodeId, Runnable afterClose) {
    // Runs before the super constructor claims a node id, which a failure would have to release.
    client = !(hazelcast.getLocalEndpoint() instanceof Member);
    String group = options.getGroup() == null ? DirectoryOptions.DEFAULT_GROUP : options.getGroup();
    map = map(hazelcast, "vertx-rdma.directory." + group);
    super(vertx, hazelcast.getName() + "/" + group, nodeId);
    this.group = group;
    this.hazelcast = hazelcast;
    this.afterClose = afterClose;
    this.leaseMillis = options.getLeaseTime().toMillis();
    long tickMillis = Math.clamp(leaseMillis / 6, SHORTEST_TICK_MILLIS, LONGEST_TICK_MILLIS);
    this.mirror = new MapMirror(cache, nodeId(), this::refreshLater, tickMillis, System::nanoTime);
    this.refreshTimer = loop.setPeriodic(leaseMillis / 3, id -> refreshLater());
    this.leaseTimer = loop.setPeriodic(tickMillis, id -> tick());
  }

  public static Future<DirectoryBackend> open(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options) {
    if (!options.getSettings().isEmpty()) {
      return ((VertxInternal) vertx).getOrCreateContext()
        .failedFuture(new IllegalArgumentException("directory type '" + HazelcastDirectory.TYPE + "' uses an existing Hazelcast "
          + "instance and cannot use the settings of a client: " + String.join(", ", options.getSettings().fieldNames()) + ". "
          + "Remove them, or call DirectoryBackend.open with a Vert.x that is not clustered: it creates a client with these settings"));
    }
    return open(vertx, hazelcast, options, () -> {});
  }

  /** @param afterClose called after closing or a failed opening; may block */
  static Future<DirectoryBackend> open(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options, Runnable afterClose) {
    // The application may block all workers of Vert.x.
    return BlockingCalls.once(((VertxInternal) vertx).getOrCreateContext(), () -> {
      try {
        return make(vertx, hazelcast, options, afterClose);
      } catch (RuntimeException e) {
        afterClose.run();
        throw e;
      }
    }).compose(directory -> directory.open(() -> {
      directory.start();
      return null;
    }));
  }

  private static ClusterDirectory make(Vertx vertx, HazelcastInstance hazelcast, DirectoryOptions options, Runnable afterClose) {
    String unread = !options.getPeers().isEmpty() ? "peers"
      : !options.getEntries().isEmpty() ? "entries" : options.getPath() != null ? "path" : null;
    if (unread != null) {
      throw new IllegalArgumentException("directory type '" + HazelcastDirectory.TYPE + "' finds nodes through its Hazelcast "
        + "cluster and does not read '" + unread + "'; remove that option, or set 'type' to '" + DirectoryOptions.STATIC + "' or "
        + "'" + DirectoryOptions.SAME_HOST + '\'');
    }
    if (hazelcast == null || !hazelcast.getLifecycleService().isRunning()) {
      throw new IllegalStateException("cannot open the directory: its Hazelcast instance is not running. Open the directory after "
        + "the instance has joined its cluster");
    }
    if (VERSION_CHECKED.compareAndSet(false, true)) {
      checkVersion(BuildInfoProvider.getBuildInfo().getVersion());
    }
    String nodeId = options.getNodeId() == null ? hazelcast.getLocalEndpoint().getUuid().toString() : options.getNodeId();
    return new ClusterDirectory(vertx, hazelcast, options, nodeId, afterClose);
  }

  static void checkVersion(String version) {
    Version found;
    try {
      found = MemberVersion.of(version).asVersion();
    } catch (IllegalArgumentException e) {
      return;
    }
    if (!found.isUnknown() && found.isLessThan(TESTED)) {
      LOG.warn("Hazelcast " + version + " on the class path is older than " + TESTED + ", which vertx-rdma was tested with. Give it the"
        + " version that vertx-hazelcast was released with; in Spring Boot set the property hazelcast.version");
    }
  }

  /**
   * Opens the map with its own configuration, which members that join later adopt. The default of a cluster may evict entries. Blocks.
   *
   * @throws IllegalStateException if the configuration of the map could lose entries
   */
  private static IMap<String, byte[]> map(HazelcastInstance hazelcast, String name) {
    try {
      hazelcast.getConfig().addMapConfig(new MapConfig(name));
    } catch (RuntimeException e) {
      // The application has configured this map, or forbids clients to configure it.
      LOG.debug("Hazelcast does not accept the directory's configuration of map '" + name + "' and uses its own", e);
    }
    if (hazelcast.getLocalEndpoint() instanceof Member) {
      MapConfig config = hazelcast.getConfig().findMapConfig(name);
      String fault = fault(config);
      if (fault != null) {
        throw refused(name, "<map name=\"" + config.getName() + "\"> has " + fault);
      }
    }
    IMap<String, byte[]> map = hazelcast.getMap(name);
    if (map.getLocalMapStats().getNearCacheStats() != null) {
      throw refused(name, "this instance has a near-cache for it");
    }
    return map;
  }

  private static String fault(MapConfig config) {
    if (config.getEvictionConfig().getEvictionPolicy() != EvictionPolicy.NONE) {
      return "eviction";
    }
    if (config.getMaxIdleSeconds() > 0) {
      return "max-idle-seconds";
    }
    if (config.getNearCacheConfig() != null) {
      return "near-cache";
    }
    return config.getMapStoreConfig().isEnabled() ? "map-store" : null;
  }

  private static IllegalStateException refused(String name, String why) {
    return new IllegalStateException("cannot keep the directory in Hazelcast's map '" + name + "': " + why
      + ", which can lose entries of living nodes or return outdated ones. Add a configuration without it for the maps "
      + "'vertx-rdma.directory.*'");
  }

  @Override
  public String type() {
    return HazelcastDirectory.TYPE;
  }

  @Override
  public String where() {
    return type() + " directory, group '" + group + '\'';
  }

  private void start() {
    listen(map.addEntryListener(mirror, true), map::removeEntryListener);
    listen(map.addPartitionLostListener(this), map::removePartitionLostListener);
    listen(hazelcast.getCluster().addMembershipListener(this), hazelcast.getCluster()::removeMembershipListener);
    listen(hazelcast.getLifecycleService().addLifecycleListener(this::lifecycle), hazelcast.getLifecycleService()::removeLifecycleListener);
    if (!client) {
      listen(hazelcast.getClientService().addClientListener(this), hazelcast.getClientService()::removeClientListener);
    }
    readAll();
  }

  private void listen(UUID listener, Consumer<UUID> removal) {
    removals.add(() -> removal.accept(listener));
  }

  /** Checks leases on a separate thread, because calls may wait for a stopped member. */
  private void tick() {
    ticks.call(() -> {
      mirror.tick(hazelcast.getLifecycleService().isRunning() ? hazelcast.getCluster().getMembers().stream()
        .filter(member -> !member.localMember()).map(Member::getUuid).collect(Collectors.toSet()) : Set.of());
      return null;
    });
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    return calls.result(() -> {
      String other = put(entry);
      if (other != null) {
        throw taken((RegionEntry) entry, other);
      }
      return null;
    });
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    return calls.result(() -> {
      synchronized (lease) {
        byte[] there = map.get(entry.key());
        if (there != null && Stored.read(there).filter(this::ownedByThis).filter(own -> own.entry().epoch() == entry.epoch()).isPresent()) {
          map.remove(entry.key(), there);
        }
      }
      return null;
    });
  }

  @Override
  protected Future<Void> release() {
    vertx.cancelTimer(refreshTimer);
    vertx.cancelTimer(leaseTimer);
    return calls.result(() -> {
      try {
        if (hazelcast.getLifecycleService().isRunning()) {
          removals.forEach(Runnable::run);
        }
      } finally {
        afterClose.run();
      }
      return null;
    });
  }

  /** Stores an entry. Returns null, or the id of another node with a region of the same name. */
  private String put(DirectoryEntry entry) {
    if (entry instanceof NodeEntry) {
      putNode();
      return null;
    }
    byte[] bytes = bytes(entry);
    if (!(entry instanceof RegionEntry)) {
      map.set(entry.key(), bytes, FOR_EVER, TimeUnit.MILLISECONDS);
      return null;
    }
    for (byte[] before; (before = map.putIfAbsent(entry.key(), bytes, FOR_EVER, TimeUnit.MILLISECONDS)) != null;) {
      Stored stored = Stored.read(before).orElse(null);
      if (stored == null || !ownedByThis(stored) && lives(stored)) {
        return stored == null ? "'?', whose entry this version cannot read," : stored.entry().nodeId();
      }
      if (map.replace(entry.key(), before, bytes)) {
        return null;
      }
    }
    return null;
  }

  /** Stores the node's entry, unless it was withdrawn meanwhile. */
  private void putNode() {
    synchronized (lease) {
      published().stream().filter(NodeEntry.class::isInstance).forEach(node -> {
        reportSameId(map.put(node.key(), bytes(node), FOR_EVER, TimeUnit.MILLISECONDS), node.epoch());
        storedEpoch = node.epoch();
      });
    }
  }

  private byte[] bytes(DirectoryEntry entry) {
    return new Stored(hazelcast.getLocalEndpoint().getUuid(), client, leaseMillis, renewals.getAndIncrement(), entry).toBytes();
  }

  /**
   * Logs an error if another node with the same id has stored its entry.
   *
   * @param epoch epoch of this node's entry, which may have been stored although the call failed
   */
  private void reportSameId(byte[] before, long epoch) {
    if (before == null || storedEpoch == 0 || sameIdTold) {
      return;
    }
    Stored.read(before).map(Stored::entry).filter(other -> other.epoch() != storedEpoch && other.epoch() != epoch).ifPresent(other -> {
      sameIdTold = true;
      ProcessIdentity process = ((NodeEntry) other).process();
      LOG.error(
        "Process " + process.pid() + " on host '" + process.host() + "' has the same node id as this process, " + nodeId() + ", in "
          + "the " + where() + ": each removes the other's entries. Give each node its own id (DirectoryOptions.setNodeId)");
    });
  }

  private boolean ownedByThis(Stored stored) {
    return stored.entry().nodeId().equals(nodeId());
  }

  /** Returns whether the node that stored an entry still exists. */
  private boolean lives(Stored stored) {
    byte[] node = map.get(stored.nodeKey());
    if (node == null || Stored.read(node).filter(now -> now.entry().epoch() != stored.entry().epoch()).isPresent()) {
      return false;
    }
    return stored.client() || hazelcast.getCluster().getMembers().stream().anyMatch(member -> member.getUuid().equals(stored.by()));
  }

  @Override
  public void memberAdded(MembershipEvent event) {
    // Reads the entries of a member that seemed lost, to which connections used TCP meanwhile.
    if (mirror.membersBack(List.of(event.getMember().getUuid()))) {
      refreshLater();
    }
  }

  @Override
  public void memberRemoved(MembershipEvent event) {
    UUID gone = event.getMember().getUuid();
    mirror.memberGone(gone);
    calls.result(() -> {
      // Only the first member removes the entries. If that member dies too, the leases expire.
      if (runs() && !client && event.getMembers().iterator().next().localMember()) {
        removeStoredBy(gone);
      }
      return null;
    }).onFailure(this::report);
  }

  @Override
  public void partitionLost(MapPartitionLostEvent event) {
    refreshLater();
  }

  @Override
  public void clientConnected(Client connected) {
    // The map reports the entries that the client stores.
  }

  @Override
  public void clientDisconnected(Client lost) {
    loop.setTimer(CLIENT_GRACE_MILLIS, id -> calls.result(() -> {
      if (!isClosed() && hazelcast.getClientService().getConnectedClients().stream().noneMatch(c -> c.getUuid().equals(lost.getUuid()))) {
        removeStoredBy(lost.getUuid()); // a living client stores its entries again
      }
      return null;
    }).onFailure(this::report));
  }

  void removeStoredBy(UUID gone) {
    // Removes the entry of the node last: if it lives, it then stores all its entries again.
    map.entrySet().stream().filter(stored -> Stored.origin(stored.getValue()).filter(origin -> origin.by().equals(gone)).isPresent())
      .sorted(Comparator.comparing(stored -> stored.getKey().startsWith("n/")))
      .forEach(stored -> map.remove(stored.getKey(), stored.getValue()));
  }

  private void lifecycle(LifecycleEvent event) {
    if (isClosed()) {
      return;
    }
    if (event.getState() == LifecycleState.MERGED) {
      // The cluster was split, and the other part removed this node, which returns with a new epoch.
      LOG.info("Node " + nodeId() + " was separated from its Hazelcast cluster and has rejoined; it publishes its entries again, "
        + "under a new epoch");
      calls.result(() -> {
        mirror.membersBack(hazelcast.getCluster().getMembers().stream().map(Member::getUuid).toList());
        readAll();
        return null;
      }).onFailure(this::report).transform(read -> renew()).onFailure(this::report);
    } else if (event.getState() == LifecycleState.CLIENT_CONNECTED) {
      refreshLater();
    } else if (event.getState() == LifecycleState.SHUTDOWN && !((VertxInternal) vertx).closeFuture().isClosed()) {
      // No warning while Vert.x closes, which shuts this instance down.
      LOG.warn(
        "The Hazelcast instance of node " + nodeId() + " was shut down: this node no longer sees other nodes in the "
          + where() + ", and they do not see it. Close the directory, and open one with an instance that is running");
    }
  }

  private void refreshLater() {
    later(renewing, renewer, this::putNode);
    later(refreshing, calls, this::refresh);
  }

  private void later(AtomicBoolean waiting, BlockingCalls on, Runnable task) {
    if (waiting.compareAndSet(false, true)) {
      on.result(() -> {
        waiting.set(false);
        try {
          if (runs()) {
            task.run();
            succeeded(waiting);
          }
        } catch (RuntimeException e) {
          failed(waiting, e);
        }
        return null;
      }).onFailure(cause -> {
        // No thread could start.
        waiting.set(false);
        failed(waiting, cause);
      });
    }
  }

  private void refresh() {
    Map<String, DirectoryEntry> published = new LinkedHashMap<>();
    published().forEach(entry -> published.put(entry.key(), entry));
    MapMirror.Reading reading = readAll();
    List<Runnable> mends = new ArrayList<>();
    published.forEach((key, entry) -> {
      if (!isStored(entry, reading.own().get(key))) {
        mends.add(() -> putBack(entry));
      }
    });
    // Removes entries of an earlier epoch, or withdrawn while the cluster was split.
    reading.own().forEach((key, there) -> {
      if (!published.containsKey(key)) {
        mends.add(() -> map.remove(key, there.bytes()));
      }
    });
    reading.abandoned().forEach((key, bytes) -> mends.add(() -> map.remove(key, bytes)));
    doAll(mends);
  }

  private void putBack(DirectoryEntry entry) {
    String other = put(entry);
    if (other != null) {
      leave((RegionEntry) entry);
      LOG.error("Region '" + ((RegionEntry) entry).name() + "' of node " + nodeId() + ", which was declared dead, is now shared by node "
        + other + ". Share it again under another name");
    }
  }

  private boolean isStored(DirectoryEntry entry, MapMirror.Known there) {
    return there != null && there.stored().by().equals(hazelcast.getLocalEndpoint().getUuid())
      && there.stored().entry().toBuffer().equals(entry.toBuffer());
  }

  /** Runs all tasks, even if some fail. */
  private void doAll(List<Runnable> tasks) {
    RuntimeException failure = null;
    for (Runnable task : tasks) {
      try {
        if (runs()) {
          task.run();
        }
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private boolean runs() {
    return !isClosed() && hazelcast.getLifecycleService().isRunning();
  }

  private MapMirror.Reading readAll() {
    mirror.begin();
    return mirror.apply(map.entrySet());
  }

  private void report(Throwable failure) {
    failed(refreshing, failure);
  }

  private void failed(AtomicBoolean call, Throwable failure) {
    synchronized (failing) {
      if (runs() && failing.add(call)) {
        if (failing.size() == 1) {
          LOG.warn("The directory of node " + nodeId() + " cannot read or write its map in Hazelcast: " + failure.getMessage()
            + ". It retries, and finds the nodes that it knew before");
        }
        LOG.debug("A call to Hazelcast failed", failure);
      }
    }
  }

  private void succeeded(AtomicBoolean call) {
    synchronized (failing) {
      if (failing.remove(call) && failing.isEmpty()) {
        LOG.info("The directory of node " + nodeId() + " reads and writes its map in Hazelcast again");
      }
    }
  }
}
