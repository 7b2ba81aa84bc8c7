package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Exchanges entries over control connections. Connects to the addresses in the options; one of two nodes needs the other's address. */
class PeerExchange implements ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(PeerExchange.class);
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(1_000, 4_000);

  final ContextInternal loop;
  final DirectoryCache cache;
  private final Supplier<List<DirectoryEntry>> published;
  private final Predicate<String> isKnown;
  private final List<HostAndPort> peers;
  private final List<DirectoryEntry> given;
  private final Set<HostAndPort> reported = ConcurrentHashMap.newKeySet();
  private final Map<HostAndPort, String> nodeIds = new ConcurrentHashMap<>();
  final Map<String, EntrySender> senders = new ConcurrentHashMap<>();
  final Map<String, ControlLink> links = new ConcurrentHashMap<>();
  private final Map<String, PeerEntries> received = new ConcurrentHashMap<>();
  private final EntryBytes bytes = new EntryBytes();
  private volatile ControlLinks control;
  private volatile boolean closed;
  /** Null before {@link #start}. Guarded by this, like {@link #timer}. */
  private Attempts pauses;
  private long timer = -1;

  /** {@code given}: entries to use while their nodes send none. {@code isKnown}: the entries of a node are exchanged in another way. */
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

  static List<HostAndPort> addresses(List<String> texts) {
    return texts.stream().map(text -> {
      HostAndPort address = HostAndPort.parseAuthority(text, -1);
      if (address == null || address.host().isEmpty() || address.port() <= 0) {
        throw new IllegalArgumentException("invalid peer '" + text + "' of the directory: use the control address of a node, such as "
          + "10.0.0.1:7000");
      }
      return address;
    }).toList();
  }

  void attach(ControlLinks value) {
    control = value;
    value.messageHandler(EntrySender.KIND, this::messageReceived).addListener(this);
  }

  void messageReceived(ControlLink link, Buffer message) {
    // Entries that arrive after a GOODBYE would never be removed.
    if (link.isOpen() && !isKnown.test(link.nodeId())) {
      String changedKey = received.computeIfAbsent(link.nodeId(), nodeId -> {
        Object source = EntryBytes.source(link.remoteAddress());
        return entriesOf(nodeId, change -> bytes.add(source, change));
      }).receive(message);
      if (changedKey != null) {
        refresh(changedKey);
      }
    }
  }

  PeerEntries entriesOf(String nodeId, LongConsumer total) {
    return new PeerEntries(nodeId, cache, total);
  }

  /** Returns the open connection with a node, or null. Any thread. */
  final ControlLink link(String nodeId) {
    ControlLink link = links.get(nodeId);
    return link != null && link.isOpen() ? link : null;
  }

  void announce(DirectoryEntry entry) {
    toPeers(sender -> sender.add(entry));
  }

  void announceRemoval(DirectoryEntry entry) {
    toPeers(sender -> sender.remove(entry.key()));
    changed(entry);
  }

  void changed(DirectoryEntry entry) {
    if (!(entry instanceof ServiceEntry)) {
      refresh(entry instanceof NodeEntry ? "" : entry.key());
    }
  }

  void refresh(String key) {
    received.values().forEach(entries -> entries.refresh(key));
  }

  private void toPeers(Consumer<EntrySender> message) {
    senders.forEach((nodeId, sender) -> {
      if (!isKnown.test(nodeId)) {
        message.accept(sender);
      }
    });
  }

  /** Starts to connect to the peers. Called when this node has a control address. Idempotent. */
  synchronized void start() {
    if (pauses == null && control != null && !peers.isEmpty()) {
      pauses = new Attempts(PAUSES);
      connect();
    }
  }

  private synchronized void connect() {
    if (closed) {
      return;
    }
    List<HostAndPort> missing = peers.stream().filter(peer -> cache.node(nodeIds.getOrDefault(peer, "")).isEmpty()).toList();
    pauses = missing.isEmpty() ? new Attempts(PAUSES) : pauses;
    timer = loop.setTimer(pauses.pauseMillis(), id -> connect());
    for (HostAndPort peer : missing) {
      control.meet(peer.host(), peer.port()).onSuccess(nodeId -> nodeIds.put(peer, nodeId)).onFailure(cause -> {
        if (!closed && reported.add(peer)) {
          LOG.info("Peer " + peer.host() + ':' + peer.port() + " of the directory cannot be reached yet: " + cause.getMessage());
        }
      });
    }
  }

  @Override
  public void opened(ControlLink link) {
    links.put(link.nodeId(), link);
    if (!closed && !isKnown.test(link.nodeId())) {
      EntrySender sender = new EntrySender(link.nodeId(), message -> link.sendNext(EntrySender.KIND, message));
      // Registered before published() is called, so that no change is lost.
      Optional.ofNullable(senders.put(link.nodeId(), sender)).ifPresent(EntrySender::end);
      sender.start(published.get());
    }
  }

  @Override
  public void died(PeerDeath death) {
    ControlLink link = links.get(death.nodeId());
    // The death may be that of an earlier epoch, while a new link is open.
    boolean isGone = link == null || !link.isOpen();
    if (isGone) {
      links.remove(death.nodeId());
      Optional.ofNullable(senders.remove(death.nodeId())).ifPresent(EntrySender::end);
    }
    // Also removes the entries of a silent node, which sends them again when it returns.
    if (death.certain() || !isKnown.test(death.nodeId())) {
      cache.removeNode(death.nodeId(), death.epoch());
      if (isGone) {
        forget(death.nodeId());
      }
    }
  }

  void known(String nodeId) {
    Optional.ofNullable(received.remove(nodeId)).ifPresent(PeerEntries::release);
  }

  void unknown(String nodeId) {
    if (!links.containsKey(nodeId)) {
      forget(nodeId);
    }
  }

  /** Replaces the entries of a node by those in the options. */
  private void forget(String nodeId) {
    PeerEntries entries = received.remove(nodeId);
    if (entries != null) {
      entries.clear();
    }
    if (!isKnown.test(nodeId)) {
      given.stream().filter(entry -> entry.nodeId().equals(nodeId)).forEach(cache::put);
    }
    refresh("");
  }

  synchronized void close() {
    closed = true;
    loop.owner().cancelTimer(timer);
  }
}
