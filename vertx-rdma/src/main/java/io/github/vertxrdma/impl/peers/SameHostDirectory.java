package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Directory for the processes of one user on one host. A node that starts connects to the sockets of all others ({@link NodeFolder}), and
 * they exchange entries. In a large group it connects to none, and visits them to look something up ({@link FolderVisitor}).
 */
public final class SameHostDirectory extends AbstractDirectory {
  /** Maximum number of other nodes to which a starting node connects. In a larger group it connects to none. */
  static final int MOST_LINKS = 64;
  /** Public constant. The folder's mode keeps other users out. */
  static final ClusterSecret SECRET = ClusterSecret.of(
    "f4caba97b014dffa3dd7a85bc514a1691c6956310b73ba01aaf2c7245bc1b14c".getBytes(StandardCharsets.US_ASCII));

  private static final Logger LOG = LoggerFactory.getLogger(SameHostDirectory.class);
  /** Time between reads of a large group's folder, while something is looked up. */
  private static final long LOOK_MILLIS = 500;
  /** Time limit that turns heartbeats off, because the kernel reports the end of a process. */
  private static final long NEVER_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final int CONNECT_MILLIS = 5_000;
  private static final long JOIN_MILLIS = 3_000;
  private static final String FOLDER = "directory";

  private final NodeFolder folder;
  private final FolderControl host;
  private final ControlLinks links;
  private final FolderExchange local;
  private final PeerExchange peers;
  private final int mostLinks;
  private final Upkeep upkeep;
  private final Refusals losses = new Refusals(LOG::info, System::nanoTime);
  /** Regions that are being published, by key. */
  private final Map<String, Claim> claims = new ConcurrentHashMap<>();
  private final Set<String> dialed = ConcurrentHashMap.newKeySet();
  private final Set<String> unreached = ConcurrentHashMap.newKeySet();
  private final Set<Predicate<DirectoryEntry>> wanted = ConcurrentHashMap.newKeySet();
  /** Reads entries for look-ups and claims; null while there are none. Confined to the loop. */
  private FolderVisitor visitor;
  /** Number of {@link #ask} calls in progress. Confined to the loop. */
  private int asking;
  private boolean looking;
  private long lookTimer = -1;
  /** Result of the next read of the folder, shared by callers until the read starts. Guarded by this. */
  private Future<List<String>> others;
  /** The last failure of {@link #keep}, which is logged once; null after a success. */
  private volatile String logged;

  private static final class Claim {
    private int publications;
    /** Id of another node that keeps the name; null if none is known. */
    private volatile String winner;
    private volatile boolean won;
  }

  private SameHostDirectory(Vertx vertx, DirectoryOptions options, NodeFolder folder, int mostLinks) {
    List<HostAndPort> addresses = PeerExchange.addresses(options.getPeers());
    List<DirectoryEntry> entries = options.getEntries().stream().map(DirectoryEntry::fromJson).toList();
    super(vertx, folder.path(), options.getNodeId());
    this.folder = folder;
    this.mostLinks = mostLinks;
    List<DirectoryEntry> given = entries.stream().filter(entry -> !entry.nodeId().equals(nodeId())).toList();
    this.host = new FolderControl(loop, folder, calls);
    this.links = new ControlLinks(host, settings(folder.own()), SECRET, () -> self().withControl(folder.own(), FolderControl.PORT));
    this.local = new FolderExchange(loop, cache, this::published, this::keeper, this::held);
    this.peers = new PeerExchange(loop, addresses, given, cache, this::published, node -> local.link(node) != null);
    local.attach(links);
    links.addListener(new Neighbours());
    cache.addListener(this::changed);
    this.upkeep = new Upkeep(loop, folder::kept, List::of, this::keep);
  }

  static ControlSettings settings(String host) {
    return new ControlSettings(host, FolderControl.PORT, FolderControl.PORT, NEVER_MILLIS, NEVER_MILLIS, CONNECT_MILLIS);
  }

  static SameHostDirectory create(Vertx vertx, DirectoryOptions options, int mostLinks) throws IOException {
    NodeFolder.Roots roots = SameHostDirectory::roots;
    if (options.getPath() != null) {
      List<Path> root = List.of(GivenPath.of(options.getPath(), "DirectoryOptions.setPath"));
      roots = () -> root;
    }
    return new SameHostDirectory(vertx, options, NodeFolder.make(roots, options.getGroup()), mostLinks);
  }

  private static List<Path> roots() throws IOException {
    return RuntimeFolder.all().stream().map(folder -> folder.resolve(FOLDER)).toList();
  }

  Future<DirectoryBackend> open() {
    return open(null).compose(v -> join()).recover(cause -> close().transform(v -> Future.failedFuture(cause)));
  }

  private Future<DirectoryBackend> join() {
    // Listens before it reads the folder, so that one of two starting nodes finds the other. Between bind and listen, another node may
    // delete the socket as that of a dead process; the upkeep restores it.
    return LoopCall.result(context(), links.listen().compose(port -> calls.result(() -> folder.others(mostLinks)))
      .compose(found -> found.size() <= mostLinks ? meet(found) : Future.succeededFuture()).<DirectoryBackend>map(this)
      .onSuccess(v -> upkeep.now()));
  }

  private Future<Void> meet(Collection<String> names) {
    return within(Future.join(names.stream().map(this::meet).toList()).mapEmpty(), JOIN_MILLIS).compose(met -> local.settled());
  }

  private Future<Void> meet(String name) {
    return !dialed.add(name) ? Future.succeededFuture()
      : meet(links, name).onComplete(met -> dialed.remove(name)).onFailure(cause -> missed(name, cause));
  }

  static Future<Void> meet(ControlLinks links, String name) {
    return links.meet(name, FolderControl.PORT)
      .compose(id -> links.link(NodeEntry.local(id, 0).withControl(name, FolderControl.PORT))).mapEmpty();
  }

  private void missed(String name, Throwable cause) {
    // FolderControl has deleted the socket after a ConnectException.
    if (isClosed() || cause instanceof ConnectException) {
      return;
    }
    if (ControlDial.isNoAnswer(cause)) {
      unreached.add(name);
      upkeep.soon();
    } else if (String.valueOf(cause.getMessage()).contains(LinkTable.sameIdMessage(self()))) {
      LOG.error("The process of socket " + name + " has the same node id as this process, " + nodeId() + ", in the " + where() + ": "
        + "other nodes do not see what this node publishes. Give each node its own id (DirectoryOptions.setNodeId)");
      disconnect();
    } else {
      String line = "The node of socket " + name + " in the " + where() + " could not be added: " + cause.getMessage();
      if (cause instanceof ControlDial.ClosedException) {
        // The process of the socket has just ended.
        LOG.debug(line);
      } else {
        losses.log(line);
      }
    }
  }

  private Future<Void> disconnect() {
    return links.close().transform(closed -> {
      local.senders.values().forEach(EntrySender::end);
      return calls.result(() -> {
        folder.release();
        return null;
      });
    });
  }

  @Override
  public String type() {
    return DirectoryOptions.SAME_HOST;
  }

  @Override
  public String where() {
    return "same-host directory " + folder.path().getParent() + ", group '" + folder.name() + '\'';
  }

  @Override
  public void attach(ControlLinks control) {
    peers.attach(control);
  }

  private final class Neighbours implements ControlListener {
    @Override
    public void opened(ControlLink link) {
      upkeep.soon();
      if (link.peer().controlPort() != 0) {
        unreached.remove(link.peer().controlHost());
        peers.known(link.nodeId());
      }
    }

    @Override
    public void died(PeerDeath death) {
      upkeep.soon();
      if (local.link(death.nodeId()) == null) {
        peers.unknown(death.nodeId());
      }
    }
  }

  /** Called with the cache's lock held. After a region is removed, a region of the same name in {@link #peers} may become visible. */
  private void changed(DirectoryEvent event) {
    if (event.type() == DirectoryEvent.Type.REMOVED && event.entry() instanceof RegionEntry region) {
      LoopCall.execute(loop, () -> peers.changed(region));
    }
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    if (self().controlPort() != 0) {
      peers.start();
    }
    upkeep.soon();
    if (entry instanceof RegionEntry region) {
      return LoopCall.result(context(), claim(region));
    }
    local.announce(entry);
    return LoopCall.result(context(), local.settled());
  }

  private Future<Void> claim(RegionEntry region) {
    // Made first, so that keeper() finds it when another node's entry arrives.
    Claim claim = claims.compute(region.key(), (key, before) -> {
      Claim now = before == null ? new Claim() : before;
      now.publications++;
      return now;
    });
    String owner = cache.ownerOf(region, nodeId());
    if (owner != null) {
      return Future.failedFuture(taken(region, owner));
    }
    local.announce(region);
    return local.settled().compose(v -> others()).compose(found -> found.isEmpty() ? Future.succeededFuture() : ask(region, found))
      .transform(asked -> LoopCall.on(loop.nettyEventLoop(), Promise.<Void>promise(), decided -> {
        // Runs later, because a cache may be locked. The region of an earlier node may have arrived while this claim began.
        String winner = claim.winner != null ? claim.winner : asked.result() != null ? asked.result()
          : cache.region(region.name()).filter(seen -> isBefore(seen.epoch(), seen.nodeId(), epoch(), nodeId()))
            .map(RegionEntry::nodeId).orElse(null);
        if (winner != null) {
          decided.fail(taken(region, winner));
        } else if (asked.failed()) {
          decided.fail(asked.cause());
        } else {
          claim.won = true;
          decided.complete();
        }
      }));
  }

  @Override
  protected void publicationEnded(DirectoryEntry entry) {
    claims.computeIfPresent(entry.key(), (key, claim) -> --claim.publications == 0 ? null : claim);
  }

  /**
   * Returns the id of the node that keeps the name of a region from a remote node, or null. A published region keeps its name. Of two
   * regions that are being published, the one with the smaller epoch keeps the name, or with equal epochs the smaller node id.
   */
  private String keeper(RegionEntry remote, String nodeId) {
    // In this order a claim that ends meanwhile is in the cache.
    Claim claim = claims.get(remote.key());
    RegionEntry seen = cache.region(remote.name()).orElse(null);
    if (claim != null && claim.won || seen != null && seen.nodeId().equals(nodeId())) {
      EntrySender sender = local.senders.get(nodeId);
      if (sender != null) {
        sender.held(remote.key());
      }
      return nodeId();
    }
    if (claim != null) {
      if (!nodeId.equals(claim.winner) && isBefore(epoch(), nodeId(), remote.epoch(), nodeId)) {
        return nodeId();
      }
      claim.winner = nodeId;
      return null;
    }
    return seen != null && !seen.nodeId().equals(nodeId) && local.link(seen.nodeId()) != null
      && isBefore(seen.epoch(), seen.nodeId(), remote.epoch(), nodeId) ? seen.nodeId() : null;
  }

  /** Called when a peer had a region before this node announced one of that name. */
  private void held(ControlLink link, String key) {
    Claim claim = claims.get(key);
    RegionEntry ownRegion = (RegionEntry) published().stream().filter(entry -> entry.key().equals(key)).findFirst().orElse(null);
    if (ownRegion != null && (claim != null && claim.won
      || cache.region(ownRegion.name()).filter(seen -> seen.nodeId().equals(nodeId())).isPresent())) {
      if (isBefore(link.epoch(), link.nodeId(), epoch(), nodeId()) && leave(ownRegion)) {
        LOG.error("Region '" + ownRegion.name() + "' of node " + nodeId() + " was removed from the directory: node " + link.nodeId()
          + " claimed the name at the same time, and keeps it. Share the region under another name.");
      }
    } else if (claim != null) {
      claim.winner = link.nodeId();
      local.refresh(key);
    }
  }

  private static boolean isBefore(long epoch, String nodeId, long otherEpoch, String otherId) {
    int order = Long.compareUnsigned(epoch, otherEpoch);
    return order < 0 || order == 0 && nodeId.compareTo(otherId) < 0;
  }

  @Override
  protected void announce(DirectoryEntry entry) {
    peers.announce(entry);
  }

  @Override
  protected void announceRemoval(DirectoryEntry entry) {
    local.announceRemoval(entry);
    peers.announceRemoval(entry);
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    announceRemoval(entry);
    return LoopCall.result(context(), local.settled());
  }

  private synchronized Future<List<String>> others() {
    if (others == null) {
      Future<List<String>> made = calls.result(() -> {
        synchronized (this) {
          others = null;
        }
        Set<String> known = local.sockets();
        return folder.others(Integer.MAX_VALUE).stream().filter(name -> !known.contains(name) && !unreached.contains(name)).toList();
      });
      others = made;
      // Resets the field if no thread ran the call, which otherwise does that.
      made.onFailure(cause -> {
        synchronized (this) {
          others = others == made ? null : others;
        }
      });
      return made;
    }
    return others;
  }

  /** Returns the id of an unconnected node that keeps the name of a region; null if there is none. */
  private Future<String> ask(RegionEntry region, List<String> others) {
    FolderVisitor visiting = visitor();
    asking++;
    return within(visiting.visit(others), JOIN_MILLIS).compose(v -> {
      RegionEntry remote = visiting.cache.region(region.name()).orElse(null);
      if (remote == null || !isBefore(epoch(), nodeId(), remote.epoch(), remote.nodeId())) {
        return Future.succeededFuture(remote == null ? null : remote.nodeId());
      }
      // Waits for the other node to give up: if it is still claiming the name, it asks this node and gives up.
      Promise<String> decided = loop.promise();
      Consumer<DirectoryEvent> listener = event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED && event.entry().key().equals(region.key())) {
          decided.tryComplete();
        }
      };
      visiting.cache.addListener(listener);
      return decided.future().timeout(JOIN_MILLIS, TimeUnit.MILLISECONDS).otherwise(remote.nodeId())
        .onComplete(done -> visiting.cache.removeListener(listener));
    }).onComplete(done -> {
      asking--;
      closeUnusedVisitor();
    });
  }

  private FolderVisitor visitor() {
    if (visitor == null) {
      FolderVisitor made = new FolderVisitor(loop, host);
      visitor = made;
      made.cache.addListener(event -> LoopCall.execute(loop, () -> found(made, event.entry())));
    }
    return visitor;
  }

  private void closeUnusedVisitor() {
    if (visitor != null && (isClosed() || asking == 0 && wanted.isEmpty())) {
      visitor.close();
      visitor = null;
    }
  }

  private Future<Void> within(Future<Void> result, long millis) {
    Promise<Void> promise = loop.promise();
    result.onComplete(promise);
    return promise.future().timeout(millis, TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  @Override
  protected Runnable lookUp(Predicate<DirectoryEntry> sought) {
    wanted.add(sought);
    upkeep.soon();
    LoopCall.execute(loop, this::look);
    return () -> {
      wanted.remove(sought);
      LoopCall.execute(loop, this::look);
    };
  }

  /** Connects to nodes that have a wanted entry. */
  private void look() {
    loop.owner().cancelTimer(lookTimer);
    if (wanted.isEmpty() || isClosed()) {
      closeUnusedVisitor();
    } else if (!looking) {
      looking = true;
      others().onComplete(found -> LoopCall.execute(loop, () -> visit(found.succeeded() ? found.result() : List.of())));
    }
  }

  private void visit(List<String> strangers) {
    looking = false;
    if (wanted.isEmpty() || isClosed()) {
      return;
    }
    if (visitor != null || !strangers.isEmpty()) {
      visitor().visit(strangers);
      // The visitor may have read a wanted entry for an earlier look-up.
      visitor.cache.all(DirectoryEntry.class).forEach(entry -> found(visitor, entry));
    }
    if (visitor != null || local.sockets().size() >= mostLinks) {
      // In a large group, starting nodes do not connect to this node, so it looks again.
      lookTimer = loop.setTimer(LOOK_MILLIS, id -> look());
    }
  }

  private void found(FolderVisitor by, DirectoryEntry entry) {
    String socket = by.socket(entry);
    if (socket != null && wanted.stream().anyMatch(each -> each.test(entry)) && !local.sockets().contains(socket)) {
      meet(socket);
    }
  }

  Future<List<String>> groupsWith(Predicate<DirectoryEntry> sought) {
    Set<String> found = new ConcurrentSkipListSet<>();
    return LoopCall.result(context(), calls.result(() -> NodeFolder.living(folder.roots()))
      .compose(living -> Future.join(living.keySet().stream().filter(group -> !group.name().equals(folder.name())).map(group -> {
        FolderVisitor visiting = new FolderVisitor(loop, new FolderControl(loop, group, calls));
        return within(visiting.visit(living.get(group)), CONNECT_MILLIS).onComplete(done -> {
          if (visiting.cache.all(DirectoryEntry.class).stream().anyMatch(sought)) {
            found.add(group.name());
          }
          visiting.close();
        });
      }).toList())).map(v -> List.copyOf(found)));
  }

  public static List<String> groups() throws IOException {
    return NodeFolder.living(SameHostDirectory::roots).keySet().stream().map(NodeFolder::name).sorted().toList();
  }

  private Future<?> keep() {
    List.copyOf(unreached).forEach(name -> {
      if (unreached.remove(name)) {
        meet(name);
      }
    });
    return host.rebind(this::meetOthers).onComplete(kept -> {
      String failure = kept.succeeded() ? null : "cannot restore the socket of this node, so nodes that start later may not find it: "
        + RuntimeFolder.words(kept.cause());
      if (failure != null && !failure.equals(logged) && !isClosed()) {
        LOG.warn(failure);
      }
      logged = failure;
    }).<Object>mapEmpty().recover(cause -> calls.result(() -> Files.exists(folder.present(folder.own()).getFirst()))
      .compose(listens -> listens ? Future.succeededFuture(false) : Future.failedFuture(cause)));
  }

  /** Connects to nodes that began before in a folder that this one uses now. */
  private void meetOthers() {
    others().onSuccess(found -> {
      if (found.size() <= mostLinks) {
        meet(found);
      }
    });
  }

  @Override
  protected Future<Void> release() {
    upkeep.close();
    peers.close();
    LoopCall.execute(loop, this::look);
    return disconnect();
  }

  /** Reads the entries of nodes to which a directory is not connected. Has no entries, so that nodes do not list it. Used by one thread. */
  private static final class FolderVisitor {
    final DirectoryCache cache = new DirectoryCache();
    private final FolderExchange exchange;
    private final ControlLinks links;
    private final Map<String, Future<Void>> visits = new HashMap<>();

    FolderVisitor(ContextInternal loop, FolderControl host) {
      NodeEntry self = NodeEntry.local("visitor " + UUID.randomUUID(), newEpoch());
      exchange = new FolderExchange(loop, cache, List::of, (region, nodeId) -> null, (link, key) -> {});
      links = new ControlLinks(host, settings(""), SECRET, () -> self);
      exchange.attach(links);
    }

    /** Connects to nodes that are not visited yet. @return completes when the entries of those that answer are cached */
    Future<Void> visit(Collection<String> sockets) {
      sockets.stream().filter(socket -> !visits.containsKey(socket)).forEach(socket -> {
        Future<Void> met = meet(links, socket);
        visits.put(socket, met);
        met.onFailure(cause -> visits.remove(socket, met));
      });
      return Future.join(List.copyOf(visits.values())).transform(met -> exchange.settled());
    }

    String socket(DirectoryEntry entry) {
      ControlLink link = exchange.link(entry.nodeId());
      return link == null ? null : link.peer().controlHost();
    }

    void close() {
      links.close();
    }
  }
}
