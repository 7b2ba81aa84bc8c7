package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.ControlListener;
import io.github.vertxrdma.impl.control.PeerDeath;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Known peers, given by options: as entries, or as the control addresses of nodes, which then tell each other of their endpoints and
 * regions over the control connection for as long as it stands. A node is known to those it connects to as well, so one of two has to list
 * the other.
 */
public final class StaticDirectory extends AbstractDirectory implements ControlAware, ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(StaticDirectory.class);
  private static final long RETRY_MILLIS = 1_000;

  private final List<HostAndPort> peers;
  private final Set<HostAndPort> reported = ConcurrentHashMap.newKeySet();
  /** Who was met at an address. */
  private final Map<HostAndPort, String> met = new ConcurrentHashMap<>();
  private volatile ControlLinks control;
  private long timer = -1;

  /** @throws IllegalArgumentException if an entry or an address is none, with the reason */
  public StaticDirectory(Vertx vertx, DirectoryOptions options) {
    // Before a node id is claimed: what is refused here has nothing to give back.
    peers = options.getPeers().stream().map(StaticDirectory::address).toList();
    List<DirectoryEntry> entries = options.getEntries().stream().map(DirectoryEntry::fromJson).toList();
    super(vertx, new Object(), options.getNodeId() == null ? UUID.randomUUID().toString() : options.getNodeId());
    entries.stream().filter(entry -> !entry.nodeId().equals(nodeId())).forEach(cache::put);
  }

  private static HostAndPort address(String text) {
    HostAndPort address = HostAndPort.parseAuthority(text, -1);
    if (address == null || address.host().isEmpty() || address.port() <= 0) {
      throw new IllegalArgumentException("peer '" + text + "' of the static directory: write the control address of a node, as in"
        + " 10.0.0.1:7000");
    }
    return address;
  }

  @Override
  public String type() {
    return DirectoryOptions.STATIC;
  }

  @Override
  public void attach(ControlLinks links) {
    control = links;
    links.messageHandler(EntryExchange.KIND, (link, message) -> EntryExchange.receive(link, message, cache)).addListener(this);
  }

  /** Connects to peers as soon as there is an address that they can come back to. */
  private void meetPeers() {
    if (control == null || isClosed() || self().controlPort() == 0) {
      return;
    }
    if (timer == -1) {
      timer = vertx.setPeriodic(RETRY_MILLIS, id -> meetPeers());
    }
    for (HostAndPort peer : peers) {
      if (node(met.getOrDefault(peer, "")).isEmpty()) {
        control.meet(peer.host(), peer.port()).onSuccess(nodeId -> met.put(peer, nodeId)).onFailure(cause -> report(peer, cause));
      }
    }
  }

  private void report(HostAndPort peer, Throwable cause) {
    if (!isClosed() && reported.add(peer)) {
      LOG.info("Peer " + peer.host() + ':' + peer.port() + " of the static directory is not there yet: " + cause.getMessage());
    }
  }

  @Override
  public void opened(ControlLink link) {
    // What it lists is told in the order of publication, before any later change: all of it happens on the control context.
    if (!isClosed()) {
      EntryExchange.sendAll(link, published());
    }
  }

  @Override
  public void died(PeerDeath death) {
    cache.removeNode(death.nodeId(), death.epoch());
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    if (entry instanceof RegionEntry region) {
      Optional<RegionEntry> there = cache.region(region.name()).filter(other -> !other.nodeId().equals(nodeId()));
      if (there.isPresent()) {
        return future(taken(region, there.get().nodeId()));
      }
    }
    tellPeers(link -> EntryExchange.send(link, entry));
    if (timer == -1) {
      meetPeers();
    }
    return future(null);
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    tellPeers(link -> EntryExchange.sendRemoval(link, entry));
    return future(null);
  }

  @Override
  protected Future<Void> release() {
    vertx.cancelTimer(timer);
    return future(null);
  }

  private void tellPeers(Consumer<ControlLink> message) {
    if (control != null) {
      control.links().onSuccess(links -> links.forEach(message));
    }
  }
}
