package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Servers that the fabric reaches, by the TCP address that a client means, as the directory tells of them. An address is many hosts' own:
 * a route is taken only to a node whose address it is for this one too. Thread-safe.
 */
final class FabricRoutes {
  /** Peers and ways that were logged, beyond which the oldest are forgotten. */
  static final int TOLD = 256;
  private static final Logger LOG = LoggerFactory.getLogger(FabricRoutes.class);
  /** Time for which a peer that the fabric did not reach is reached by TCP without another try. */
  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DirectoryBackend directory;
  private final Newcomers newcomers;
  private final Map<ServiceEntry, Long> failures = new ConcurrentHashMap<>();
  private final Set<String> told = Collections.newSetFromMap(new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > TOLD;
    }
  });

  /** A server that the fabric reaches. */
  record Route(ServiceEntry entry, NodeEntry peer) {
    /** Key of the metadata of an entry: the service that its link is to ask for, where that is not the entry's name. */
    static final String SERVICE = "service";
    /** Likewise: true for a server of the network stack that TCP reaches as well. */
    static final String BY_RULE = "byRule";
    /** Key of the metadata of an entry: true for a server at an {@code rdma://} address, which closes connections that come by TCP. */
    static final String FABRIC_ONLY = "fabricOnly";

    String service() {
      return entry.metadata().getString(SERVICE, entry.name());
    }

    /** Tells whether only clients with the rule of {@link TransportOptions#streams} take it: for others TCP is what they asked for. */
    boolean isByRule() {
      return Boolean.TRUE.equals(entry.metadata().getValue(BY_RULE));
    }

    /** Returns whether the server is not reached by TCP. */
    boolean isFabricOnly() {
      return Boolean.TRUE.equals(entry.metadata().getValue(FABRIC_ONLY));
    }
  }

  FabricRoutes(DirectoryBackend directory) {
    this.directory = directory;
    this.newcomers = new Newcomers(directory);
  }

  DirectoryBackend directory() {
    return directory;
  }

  /** Returns whether a node that meets a condition has come, and the directory does not have the addresses of its servers yet. */
  boolean awaitsNews(Predicate<NodeEntry> condition) {
    return newcomers.any(condition);
  }

  /** Returns the servers that listen on a port, at whatever address. */
  List<Route> at(int port) {
    return directory.servicesAt(port).stream().filter(entry -> RouteNames.isRoute(entry.name()))
      .flatMap(entry -> directory.node(entry.nodeId()).map(peer -> new Route(entry, peer)).stream()).toList();
  }

  /** Returns the server behind a TCP address, or null if there is none or more than one. */
  Route find(InetAddress ip, int port) {
    List<Route> found = all(ip, port);
    // More than one: hosts with the same private address, and only TCP's routes tell which one is meant.
    return found.size() == 1 ? found.getFirst() : null;
  }

  /** Finds all servers that may be meant by a TCP address. */
  List<Route> all(InetAddress ip, int port) {
    List<Route> found = new ArrayList<>();
    for (ServiceEntry entry : directory.services(RouteNames.of(ip, port))) {
      NodeEntry peer = directory.node(entry.nodeId()).orElse(null);
      if (peer != null && isOf(peer, entry, ip)) {
        found.add(new Route(entry, peer));
      }
    }
    return found;
  }

  /**
   * Tells whether an address leads to a node from here too: in the same network all of its addresses do; elsewhere the one that others
   * reach it by, and those that its fabrics listen at, since the fabric's own connection goes there.
   */
  private boolean isOf(NodeEntry peer, ServiceEntry entry, InetAddress ip) {
    if (isInNetworkOf(directory.self(), peer)) {
      return true;
    }
    return !ip.isLoopbackAddress() && !ip.isLinkLocalAddress() && (ip.equals(host(peer))
      || isAmong(entry.addresses(), ip) || isAmong(peer.addresses(), ip));
  }

  private static boolean isAmong(List<FabricAddress> addresses, InetAddress ip) {
    return addresses.stream().map(FabricAddress::address)
      .anyMatch(address -> address.format().equals(EndpointAddress.INET) && address.toInet().getAddress().equals(ip));
  }

  /** Tells whether two nodes share all their addresses: one host, and one network namespace of it. */
  static boolean isInNetworkOf(NodeEntry self, NodeEntry peer) {
    return self.process().sameHost(peer.process()) && self.process().netNamespace() == peer.process().netNamespace();
  }

  /** The address that other hosts reach a node by; null if it has none. */
  static InetAddress host(NodeEntry node) {
    InetAddress host = RouteNames.literal(node.controlHost());
    return host == null || host.isLoopbackAddress() || host.isAnyLocalAddress() ? null : host;
  }

  // ---- attempts

  /** Remembers for a while that the fabric did not reach a server. */
  void failed(Route route) {
    long now = System.nanoTime();
    failures.values().removeIf(until -> now - until >= 0);
    failures.put(route.entry(), now + FAILURE_NANOS);
  }

  /** Returns whether the fabric did not reach a server a short while ago. */
  boolean failedLately(Route route) {
    Long until = failures.get(route.entry());
    return until != null && System.nanoTime() - until < 0;
  }

  /** Logs the way that connections go, one line for each peer and way. */
  void tell(Route route, String how) {
    boolean first;
    synchronized (told) {
      first = told.add(route.peer().nodeId() + how);
    }
    if (first) {
      LOG.info("Connections to " + route.entry().name() + " of node " + route.peer().words() + " go " + how);
    }
  }

  /** Lines and failures that are remembered. */
  int remembered() {
    synchronized (told) {
      return told.size() + failures.size();
    }
  }
}
