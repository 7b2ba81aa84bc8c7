package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.ControlListener;
import io.github.vertxrdma.impl.control.PeerDeath;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Gets acquainted with nodes whose control addresses are known: they tell each other of their entries for as long as the control connection
 * stands. A node is known to those it connects to as well, so one of two has to list the other.
 */
final class PeerExchange implements ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(PeerExchange.class);
  private static final long RETRY_MILLIS = 1_000;

  private final ContextInternal loop;
  private final DirectoryCache cache;
  private final Supplier<List<DirectoryEntry>> published;
  private final Predicate<String> isKnown;
  private final List<HostAndPort> peers;
  /** Entries of other nodes that options have. */
  private final List<DirectoryEntry> given;
  private final Set<HostAndPort> reported = ConcurrentHashMap.newKeySet();
  /** Node that was met at an address. */
  private final Map<HostAndPort, String> met = new ConcurrentHashMap<>();
  /** Senders over the last connection with each node. */
  private final Map<String, EntrySender> senders = new ConcurrentHashMap<>();
  /** The last connection with each node that is not gone. */
  private final Map<String, ControlLink> links = new ConcurrentHashMap<>();
  /** Entries that each node has told of. */
  private final Map<String, PeerEntries> told = new ConcurrentHashMap<>();
  private volatile ControlLinks control;
  private volatile boolean closed;
  private long timer = -1;

  /**
   * @param loop context of an event loop, for timers
   * @param given entries of other nodes, which are there until these tell of themselves, and when they are gone
   * @param published this node's entries
   * @param isKnown whether a node hears of this one's entries by another way, so that it is not told
   */
  PeerExchange(ContextInternal loop, List<HostAndPort> peers, List<DirectoryEntry> given, DirectoryCache cache,
    Supplier<List<DirectoryEntry>> published, Predicate<String> isKnown) {
    this.loop = loop;
    this.peers = peers;
    this.given = given;
    this.cache = cache;
    this.published = published;
    this.isKnown = isKnown;
    given.forEach(cache::put);
  }

  /** @throws IllegalArgumentException if one is no host and port */
  static List<HostAndPort> addresses(List<String> texts) {
    return texts.stream().map(PeerExchange::address).toList();
  }

  private static HostAndPort address(String text) {
    HostAndPort address = HostAndPort.parseAuthority(text, -1);
    if (address == null || address.host().isEmpty() || address.port() <= 0) {
      throw new IllegalArgumentException("peer '" + text + "' of the directory: write the control address of a node, as in 10.0.0.1:7000");
    }
    return address;
  }

  void attach(ControlLinks value) {
    control = value;
    value.messageHandler(EntryExchange.KIND, this::received).addListener(this);
  }

  /** Takes over what a node says of its entries. @throws IllegalArgumentException as {@link EntryExchange#receive} does */
  void received(ControlLink link, Buffer message) {
    // Frames that came with a good-bye are read behind it: the node's entries are gone, and these would stay.
    if (link.isOpen()) {
      String gone = EntryExchange.receive(message, told.computeIfAbsent(link.nodeId(), id -> new PeerEntries(id, cache)));
      if (gone != null) {
        look(gone);
      }
    }
  }

  /** Tells all peers of an entry. */
  void tell(DirectoryEntry entry) {
    toPeers(sender -> sender.add(entry));
  }

  /** Tells all peers that an entry is gone. */
  void tellRemoval(DirectoryEntry entry) {
    toPeers(sender -> sender.remove(entry.key()));
    changed(entry);
  }

  /** An entry has come or gone by another way. Any thread. */
  void changed(DirectoryEntry entry) {
    if (!(entry instanceof ServiceEntry)) {
      look(entry instanceof NodeEntry ? "" : entry.key());
    }
  }

  private void look(String key) {
    told.values().forEach(entries -> entries.look(key));
  }

  private void toPeers(Consumer<EntrySender> message) {
    senders.forEach((nodeId, sender) -> {
      if (!isKnown.test(nodeId)) {
        message.accept(sender);
      }
    });
  }

  /** Connects to the peers, now and whenever one is not there: once this node has an address that they can come back to. Idempotent. */
  synchronized void start() {
    if (timer == -1 && !closed && control != null && !peers.isEmpty()) {
      timer = loop.setPeriodic(RETRY_MILLIS, id -> meet());
      meet();
    }
  }

  private void meet() {
    if (closed) {
      return;
    }
    for (HostAndPort peer : peers) {
      if (cache.node(met.getOrDefault(peer, "")).isEmpty()) {
        control.meet(peer.host(), peer.port()).onSuccess(nodeId -> met.put(peer, nodeId)).onFailure(cause -> report(peer, cause));
      }
    }
  }

  private void report(HostAndPort peer, Throwable cause) {
    if (!closed && reported.add(peer)) {
      LOG.info("Peer " + peer.host() + ':' + peer.port() + " of the directory is not there yet: " + cause.getMessage());
    }
  }

  @Override
  public void opened(ControlLink link) {
    links.put(link.nodeId(), link);
    if (!closed && !isKnown.test(link.nodeId())) {
      EntrySender sender = new EntrySender(link.nodeId(), message -> link.sendNext(EntryExchange.KIND, message));
      // First it hears of changes, then of what was there before them: none is missed.
      senders.put(link.nodeId(), sender);
      sender.start(published.get());
    }
  }

  @Override
  public void died(PeerDeath death) {
    ControlLink link = links.get(death.nodeId());
    // An earlier run of a node that is connected leaves what the present one has told of.
    boolean isGone = link == null || !link.isOpen();
    if (isGone) {
      links.remove(death.nodeId());
      senders.remove(death.nodeId());
    }
    // One that was only silent comes back by itself where it tells of itself over the connection; by another way nobody would tell of it
    // anew.
    if (death.certain() || !isKnown.test(death.nodeId())) {
      cache.removeNode(death.nodeId(), death.epoch());
      if (isGone) {
        forget(death.nodeId());
      }
    }
  }

  /** A node is not known by another way any more. Any thread. */
  void unknown(String nodeId) {
    if (!links.containsKey(nodeId)) {
      forget(nodeId);
    }
  }

  /** Removes all that a node has told of, under whatever epoch: what was given of it counts again. */
  private void forget(String nodeId) {
    PeerEntries entries = told.remove(nodeId);
    if (entries != null) {
      entries.clear();
    }
    if (!isKnown.test(nodeId)) {
      given.stream().filter(entry -> entry.nodeId().equals(nodeId)).forEach(cache::put);
    }
    look("");
  }

  synchronized void close() {
    closed = true;
    if (timer != -1) {
      loop.owner().cancelTimer(timer);
    }
  }
}
