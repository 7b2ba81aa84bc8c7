package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.directory.LookupFailure;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.transport.ClusterMembers.Member;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * Answers which way a connection to a TCP address goes: the one place for the event bus, streams, {@code rdma://} addresses and forced
 * fabrics. It asks the directory and the cluster manager. An address is many hosts' own: a route is taken only to a node whose address it
 * is for this one too. Thread-safe.
 */
final class FabricRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(FabricRoutes.class);
  /** Time for which a connection waits for the directory's entry of a server. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** Time after which connections to a member without an entry wait once more. */
  private static final long WAIT_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** Time for which a server that the fabric did not reach is reached by TCP without another try; doubled by each further failure. */
  static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
  /** Unknown addresses that are looked for in other groups. */
  private static final int ADVISED = 16;
  private static final Route.Tcp OTHER_SERVER = new Route.Tcp(TcpReason.OTHER_SERVER, "", "", "");

  private final DirectoryBackend directory;
  private final ClusterMembers members;
  private final TransportOptions options;
  private final BiFunction<NodeEntry, List<FabricAddress>, String> obstacle;
  private final Ways ways;
  private final LongSupplier nanoTime;
  private final ProvenPaths paths;
  private final Map<ServiceEntry, Failure> failures = new ConcurrentHashMap<>();
  private final Set<String> advised = new HashSet<>();
  /** Times at which members were found to have no entry. */
  private final Map<String, Long> missing = new ConcurrentHashMap<>();
  /** Called when the directory or the cluster has changed. */
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

  /** An address that a connection asks for. */
  record Target(String host, InetAddress ip, int port, boolean rdma, long askedNanos) {
    @Override
    public String toString() {
      return (rdma ? "rdma://" : "") + host + ':' + port
        + (rdma && !host.equals(ip.getHostAddress()) ? " (" + ip.getHostAddress() + ')' : "");
    }
  }

  /** The last of the failures to reach a server over a fabric. */
  private record Failure(TcpReason reason, long pauseNanos, long untilNanos, String why) {
  }

  /**
   * @param obstacle returns why no fabric that is more than a socket of the kernel reaches addresses of a peer: null if one may, an empty
   *   text if none of this node's could by its kind
   * @param nanoTime the clock of {@link Target#askedNanos}
   */
  FabricRoutes(DirectoryBackend directory, ClusterMembers members, TransportOptions options,
    BiFunction<NodeEntry, List<FabricAddress>, String> obstacle, Ways ways, LongSupplier nanoTime) {
    this.directory = directory;
    this.members = members;
    this.options = options;
    this.obstacle = obstacle;
    this.ways = ways;
    this.nanoTime = nanoTime;
    this.paths = new ProvenPaths(directory, nanoTime);
    members.listener(this::changed);
    ways.presence(nodeId -> directory.node(nodeId).isPresent() || members.has(nodeId));
  }

  DirectoryBackend directory() {
    return directory;
  }

  /** Returns what is known of the kernel's paths to servers. */
  ProvenPaths paths() {
    return paths;
  }

  // ---- changes

  /** Calls a listener when another answer may follow from the directory or the cluster. It must not block, and runs on any thread. */
  void addListener(Runnable listener) {
    listeners.add(listener);
  }

  void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  /** Called for each event of the directory. */
  void changed(DirectoryEvent event) {
    if (!(event.entry() instanceof RegionEntry)) {
      changed();
    }
  }

  private void changed() {
    listeners.forEach(Runnable::run);
  }

  /** Returns the time for which an answer holds without a change; {@link Long#MAX_VALUE} for an unlimited time. */
  long validNanos(Route route) {
    Long until = switch (route) {
      case Route.NotYet wait -> Long.valueOf(wait.untilNanos());
      case Route.Tcp tcp -> tcp.untilNanos();
      case Route.Fabric server -> null;
    };
    return until == null ? Long.MAX_VALUE : Math.max(0, until - nanoTime.getAsLong());
  }

  // ---- the question

  /** Returns the way of a connection. */
  Route route(Target target) {
    List<Member> at = members.at(target.host(), target.ip(), target.port());
    List<Route.Fabric> found = servers(target, at);
    if (found.size() == 1) {
      return route(target, found.getFirst());
    }
    // Of two members at one address one has ended, and its entry goes soon.
    if (members.isLearning() || at.size() > 1 || found.isEmpty() && at.isEmpty() && target.rdma()) {
      long until = target.askedNanos() + patienceNanos(target);
      if (nanoTime.getAsLong() - until < 0) {
        return new Route.NotYet(until);
      }
    }
    if (found.isEmpty()) {
      return !at.isEmpty() ? missing(target, at.getFirst())
        : members.mayHaveBusAt(target.host(), target.ip(), target.port())
          ? new Route.Tcp(TcpReason.OTHER_SERVER, "", "", "", true, askedAgainNanos(members.isAwaiting())) : OTHER_SERVER;
    }
    // Hosts with the same private address: only TCP's routes tell which one is meant. One member may have taken the place of another.
    return new Route.Tcp(TcpReason.SEVERAL_NODES, "", "", target + " is the address of several nodes, "
      + String.join(" and ", found.stream().map(server -> server.peer().nodeId()).toList()) + "; use one that only one of them has",
      isOfMember(at) && found.stream().allMatch(Route.Fabric::isBus), null);
  }

  /** Returns the time at which the cluster manager is asked again. @param passing whether its answer may change; null otherwise */
  private Long askedAgainNanos(boolean passing) {
    return passing ? nanoTime.getAsLong() + ClusterMembers.PAUSE_NANOS : null;
  }

  private long patienceNanos(Target target) {
    return target.rdma() ? Math.max(PATIENCE_NANOS, TimeUnit.MILLISECONDS.toNanos(2 * options.publicationMillis(directory)))
      : PATIENCE_NANOS;
  }

  private Route route(Target target, Route.Fabric server) {
    if (!target.rdma() && paths.isForeign(server.entry())) {
      return new Route.Tcp(TcpReason.OTHER_PROCESS, server.peer(), "another process accepts TCP connections to it. Use an address at which"
        + " only the node listens");
    }
    if (target.rdma() || isForced() || server.isFabricOnly()) {
      return server;
    }
    Failure failure = failures.get(server.entry());
    if (failure != null && nanoTime.getAsLong() - failure.untilNanos < 0) {
      return byTcp(server, failure);
    }
    String why = obstacle.apply(server.peer(), server.entry().addresses());
    return why == null ? server
      : why.isEmpty() ? new Route.Tcp(TcpReason.KERNEL_SOCKETS, server.peer(), "all fabrics that reach it are sockets of the kernel")
        : new Route.Tcp(TcpReason.NOT_REACHED, server.peer(), "no fabric that is more than a socket of the kernel reaches it: " + why);
  }

  /** Returns the way to a member of the cluster that the directory does not have at its address. */
  private Route missing(Target target, Member member) {
    String name = directory.node(member.nodeId()).map(NodeEntry::name).orElse("");
    if (!member.hasLibrary()) {
      return new Route.Tcp(TcpReason.NO_LIBRARY, member.nodeId(), name, "its event bus does not use vertx-rdma. Add vertx-rdma to its class"
        + " path, or see in the log of its start why it uses TCP");
    }
    List<ServiceEntry> buses = directory.services().stream()
      .filter(entry -> entry.nodeId().equals(member.nodeId()) && RouteNames.isRoute(entry.name())
        && new Route.Fabric(entry, null).isBus())
      .toList();
    ServiceEntry bus = buses.isEmpty() ? null : buses.getFirst();
    String asked = RouteNames.of(target.ip(), target.port());
    // An entry with the address has come since it was looked for.
    if (bus != null && buses.stream().noneMatch(entry -> entry.name().equals(asked))) {
      return new Route.Tcp(TcpReason.OTHER_ADDRESS, member.nodeId(), name, "its event bus listens at " + RouteNames.address(bus.name())
        + ". Set the public host and port of its event bus to these, or leave them unset");
    }
    long now = nanoTime.getAsLong();
    long since = missing.compute(member.nodeId(), (id, before) -> before == null || now - before > WAIT_AGAIN_NANOS ? now : before);
    return now - since < PATIENCE_NANOS ? new Route.NotYet(since + PATIENCE_NANOS)
      : new Route.Tcp(TcpReason.NOT_IN_DIRECTORY, member.nodeId(), name, "the " + directory.where() + " has no entry of its event bus. Give"
        + " both nodes the same directory and group, and see in the log of its start whether it listens on a fabric", true,
        // A node that has the address may be about to take the place of the member.
        askedAgainNanos(members.isAwaiting() || !directory.services(asked).isEmpty()));
  }

  /** Finds all servers that may be meant by an address. @param at members of the cluster at the address */
  private List<Route.Fabric> servers(Target target, List<Member> at) {
    boolean ofMember = isOfMember(at);
    List<Route.Fabric> found = new ArrayList<>();
    for (ServiceEntry entry : directory.services(RouteNames.of(target.ip(), target.port()))) {
      NodeEntry peer = directory.node(entry.nodeId()).orElse(null);
      if (peer != null
        && (ofMember ? at.stream().anyMatch(member -> member.nodeId().equals(peer.nodeId())) : isOf(peer, entry, target.ip()))) {
        Route.Fabric server = new Route.Fabric(entry, peer);
        if (target.rdma() || isForClients(server)) {
          found.add(server);
        }
      }
    }
    return found;
  }

  /** Returns whether members have an address, and are nodes with the same ids in the directory. */
  private boolean isOfMember(List<Member> at) {
    return !at.isEmpty() && members.hasIdsOf(directory.nodeId());
  }

  /** Returns whether a host name that was not resolved may stand for a peer, so that the way depends on its address. */
  boolean mayBePeer(String host, int port) {
    return !members.at(host, null, port).isEmpty() || members.isLearning()
      || directory.servicesAt(port).stream().filter(entry -> RouteNames.isRoute(entry.name())).anyMatch(entry -> {
        NodeEntry peer = directory.node(entry.nodeId()).orElse(null);
        Route.Fabric server = new Route.Fabric(entry, peer);
        return peer != null && isForClients(server) && (isForced() || server.isFabricOnly() || options.rdma().isRequireEncryption()
          || !"".equals(obstacle.apply(peer, entry.addresses())));
      });
  }

  /** Returns whether clients of this Vert.x that do not ask for the fabric use it to a server. */
  private boolean isForClients(Route.Fabric server) {
    return options.streams() || !server.isByRule();
  }

  private boolean isForced() {
    return options.rdma().getFabric() != null;
  }

  /**
   * Returns whether an address leads to a node from here too: in the same network all of its addresses do; elsewhere the one that others
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

  /** Returns whether two nodes share all their addresses: one host, and one network namespace of it. */
  static boolean isInNetworkOf(NodeEntry self, NodeEntry peer) {
    return self.process().sameHost(peer.process()) && self.process().netNamespace() == peer.process().netNamespace();
  }

  /** Returns the address that other hosts reach a node by, or null if it has none. */
  static InetAddress host(NodeEntry node) {
    InetAddress host = RouteNames.literal(node.controlHost());
    return host == null || host.isLoopbackAddress() || host.isAnyLocalAddress() ? null : host;
  }

  // ---- what follows from the answer

  /**
   * Decides on TCP for a connection: notes and counts it, or refuses it if the fabric is forced or asked for.
   *
   * @return the failure of the connection, or null if TCP serves it
   */
  RdmaException byTcp(Target target, Route.Tcp tcp) {
    if (tcp.reason() == TcpReason.OTHER_SERVER) {
      if (!target.rdma()) {
        advise(target);
        return null;
      }
      return new RdmaException(Reason.NOT_FOUND, "no server at " + target
        + " is in the directory; it must listen on an rdma:// address, or with the transport's streams, and know the same directory");
    }
    if (target.rdma() || isForced()) {
      return refusal(target.toString(), target.rdma() ? null : options.rdma().getFabric(), tcp);
    }
    TransportCounters.PROCESS.tookTcp(tcp.reason());
    ways.tcp(tcp.nodeId(), tcp.name(), target.toString(), tcp.reason(), tcp.why());
    return null;
  }

  /** Warns once for each address if a node of another group has a server at an address that is unknown here. */
  private void advise(Target target) {
    if (!options.streams() || !isFirst(target.toString())) {
      return;
    }
    LookupFailure.groupsWith(directory, entry -> entry instanceof ServiceEntry service && RouteNames.isRoute(service.name())
      && service.name().endsWith(":" + target.port())).onSuccess(groups -> {
        if (!groups.isEmpty()) {
          LOG.warn("Connections to " + target + " use TCP: group '" + groups.getFirst() + "' has a server there, and the "
            + directory.where() + " has none. Give both nodes the same group, by DirectoryOptions or -Dvertx.rdma.group="
            + groups.getFirst());
        }
      });
  }

  private boolean isFirst(String address) {
    synchronized (advised) {
      return advised.size() < ADVISED && advised.add(address);
    }
  }

  /** Returns the failure of a connection that may not use TCP. @param forced null if the address asks for a fabric */
  static RdmaException refusal(String target, String forced, Route.Tcp tcp) {
    return new RdmaException(tcp.reason() == TcpReason.SEVERAL_NODES ? Reason.NOT_FOUND : Reason.UNREACHABLE, "cannot connect to " + target
      + " over a fabric" + (forced == null ? "" : ", and fabric '" + forced + "' is forced") + ": " + tcp.why());
  }

  /** Notes a connection that was made over a fabric. @param choice the device in words */
  void reached(Target target, Route.Fabric server, String device, Object choice) {
    if (failures.remove(server.entry()) != null) {
      changed();
    }
    ways.fabric(server.peer().nodeId(), server.peer().name(), target.toString(), device, choice);
  }

  /** Notes that no fabric reached a server, which is not tried for a growing time. @return the way instead */
  Route.Tcp failed(Route.Fabric server, Throwable cause) {
    return failed(server, TcpReason.NOT_REACHED, cause);
  }

  /** Does the same with the reason that TCP has. */
  Route.Tcp failed(Route.Fabric server, TcpReason reason, Throwable cause) {
    long now = nanoTime.getAsLong();
    failures.values().removeIf(failure -> now - failure.untilNanos > LONGEST_PAUSE_NANOS);
    Failure failure = failures.compute(server.entry(), (entry, before) -> {
      long pause = before == null ? FIRST_PAUSE_NANOS : Math.min(2 * before.pauseNanos, LONGEST_PAUSE_NANOS);
      // Connections that were under way together are one failure.
      return before != null && now - before.untilNanos < 0 ? before
        : new Failure(reason, pause, now + pause, String.valueOf(cause.getMessage()));
    });
    return byTcp(server, failure);
  }

  /**
   * Returns the way to a server that no fabric reached. The entry of a peer may have been replaced while it was tried, as when the peer
   * rejoins its cluster: whether the connection may move does not depend on the present entry.
   */
  private static Route.Tcp byTcp(Route.Fabric server, Failure failure) {
    return new Route.Tcp(failure.reason, server.peer().nodeId(), server.peer().name(), failure.why,
      failure.reason == TcpReason.NOT_REACHED && server.isBus(), failure.untilNanos);
  }
}
