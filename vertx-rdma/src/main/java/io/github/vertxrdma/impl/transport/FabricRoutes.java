package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.impl.transport.ClusterMembers.Member;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Chooses a fabric or TCP for connections to TCP addresses. Hosts may share a private address, so a fabric is chosen only if TCP from this
 * host would reach the same node. Thread-safe.
 */
final class FabricRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(FabricRoutes.class);
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** Time in which a member's node starts and publishes its event bus. */
  static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long WAIT_AGAIN_NANOS = 2 * START_NANOS;
  /** Pauses in milliseconds in which TCP is used after a failure of the fabric. Each further failure doubles the pause. */
  static final Attempts.Limits PAUSES = Attempts.Limits.endless(10_000, 600_000, () -> 0.5);
  private static final int MAX_ADVISED = 16;
  private static final Route.Tcp OTHER_SERVER = new Route.Tcp(TcpReason.OTHER_SERVER, "", "", "");

  final DirectoryBackend directory;
  private final ClusterMembers members;
  private final TransportOptions options;
  private final BiFunction<NodeEntry, List<FabricAddress>, String> obstacle;
  private final Ways usedRoutes;
  private final Consumer<InetSocketAddress> absent;
  private final LongSupplier nanoTime;
  private final Map<ServiceEntry, Failure> failures = new ConcurrentHashMap<>();
  private final Set<String> advised = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> missing = new ConcurrentHashMap<>();
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

  record Target(String host, InetAddress ip, int port, boolean rdma, long askedNanos) {
    InetSocketAddress address() {
      return new InetSocketAddress(ip, port);
    }

    @Override
    public String toString() {
      return (rdma ? "rdma://" : "") + host + ':' + port
        + (rdma && !host.equals(ip.getHostAddress()) ? " (" + ip.getHostAddress() + ')' : "");
    }
  }

  private record Failure(Attempts pauses, long untilNanos, String why) {
  }

  /**
   * @param obstacle returns null if a fabric other than kernel sockets may reach the addresses, otherwise the cause; empty if none exists
   * here
   * @param absent called when a member's event bus is not in the directory, perhaps since its node has not started. Must not block
   * @param nanoTime clock of {@link Target#askedNanos}
   */
  FabricRoutes(DirectoryBackend directory, ClusterMembers members, TransportOptions options,
    BiFunction<NodeEntry, List<FabricAddress>, String> obstacle, Ways usedRoutes, Consumer<InetSocketAddress> absent,
    LongSupplier nanoTime) {
    this.directory = directory;
    this.members = members;
    this.options = options;
    this.obstacle = obstacle;
    this.usedRoutes = usedRoutes;
    this.absent = absent;
    this.nanoTime = nanoTime;
    members.listener(this::changed);
    usedRoutes.presence(nodeId -> directory.node(nodeId).isPresent() || members.has(nodeId));
  }

  /** Adds a listener for possible changes of routes. It must not block. Thread-safe. */
  void addListener(Runnable listener) {
    listeners.add(listener);
  }

  void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  void changed(DirectoryEvent event) {
    if (!(event.entry() instanceof RegionEntry)) {
      changed();
    }
  }

  void changed() {
    listeners.forEach(Runnable::run);
  }

  long validNanos(Route route) {
    Long until = switch (route) {
      case Route.NotYet wait -> Long.valueOf(wait.untilNanos());
      case Route.Tcp tcp -> tcp.untilNanos();
      case Route.Fabric server -> null;
    };
    return until == null ? Long.MAX_VALUE : Math.max(0, until - nanoTime.getAsLong());
  }

  Route route(Target target) {
    List<Member> at = members.at(target.host(), target.ip(), target.port());
    List<Route.Fabric> found = servers(target, at);
    if (found.size() == 1) {
      return route(target, found.getFirst());
    }
    // If two members have the same address, one has ended, and the cluster will remove it.
    if (members.queryUnknown() || at.size() > 1 || found.isEmpty() && at.isEmpty() && target.rdma()) {
      long until = target.askedNanos() + PATIENCE_NANOS;
      if (nanoTime.getAsLong() - until < 0) {
        return new Route.NotYet(until);
      }
    }
    if (found.isEmpty()) {
      return !at.isEmpty() ? missing(target, at.getFirst())
        : members.mayHaveBusAt(target.host(), target.ip(), target.port())
          ? new Route.Tcp(TcpReason.OTHER_SERVER, "", "", "", true, askedAgainNanos(members.isAwaiting())) : OTHER_SERVER;
    }
    // Only TCP distinguishes hosts with the same private address.
    return new Route.Tcp(TcpReason.SEVERAL_NODES, "", "", target + " is the address of several nodes, "
      + String.join(" and ", found.stream().map(server -> server.peer().nodeId()).toList()) + ". Use an address that only one of "
      + "them has",
      isOfMember(at) && found.stream().allMatch(Route.Fabric::isBus), null);
  }

  private Long askedAgainNanos(boolean passing) {
    return passing ? nanoTime.getAsLong() + ClusterMembers.PAUSE_NANOS : null;
  }

  private Route route(Target target, Route.Fabric server) {
    if (target.rdma() || isForced()) {
      return server;
    }
    Failure failure = failures.get(server.entry());
    if (failure != null && nanoTime.getAsLong() - failure.untilNanos < 0) {
      return byTcp(server, failure);
    }
    String why = obstacle.apply(server.peer(), server.entry().addresses());
    return why == null ? server
      : why.isEmpty() ? new Route.Tcp(TcpReason.KERNEL_SOCKETS, server.peer(), "all fabrics that reach the peer are sockets of the "
        + "kernel, like TCP")
        : new Route.Tcp(TcpReason.NOT_REACHED, server.peer(), "no fabric reaches the peer, except sockets of the kernel: " + why);
  }

  private Route missing(Target target, Member member) {
    String name = directory.node(member.nodeId()).map(NodeEntry::name).orElse("");
    if (!member.hasLibrary()) {
      return new Route.Tcp(TcpReason.NO_LIBRARY, member.nodeId(), name, "the peer's event bus does not use vertx-rdma. Add "
        + "vertx-rdma to its class path, or see the log of its start for the reason");
    }
    List<ServiceEntry> buses = directory.services().stream()
      .filter(entry -> entry.nodeId().equals(member.nodeId()) && RouteNames.isRoute(entry.name())
        && new Route.Fabric(entry, null).isBus())
      .toList();
    ServiceEntry bus = buses.isEmpty() ? null : buses.getFirst();
    String asked = RouteNames.of(target.ip(), target.port());
    // If the directory lists the requested address, its entry has just arrived.
    if (bus != null && buses.stream().noneMatch(entry -> entry.name().equals(asked))) {
      return new Route.Tcp(TcpReason.OTHER_ADDRESS, member.nodeId(), name, "the peer's event bus listens at "
        + RouteNames.address(bus.name())
        + ". Set the public host and port of its event bus to these, or leave them unset");
    }
    long now = nanoTime.getAsLong();
    long since = missing.compute(member.nodeId(), (id, before) -> {
      if (before != null && now - before <= WAIT_AGAIN_NANOS) {
        return before;
      }
      absent.accept(target.address());
      return now;
    });
    return now - since < START_NANOS ? new Route.NotYet(since + START_NANOS)
      : new Route.Tcp(TcpReason.NOT_IN_DIRECTORY, member.nodeId(), name, "the " + directory.where() + " has no entry of the peer's "
        + "event bus. Give both nodes the same directory and group, and see the peer's log for whether RDMA started", true,
        members.isAwaiting() || !directory.services(asked).isEmpty() ? now + ClusterMembers.PAUSE_NANOS : since + WAIT_AGAIN_NANOS + 1);
  }

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

  private boolean isOfMember(List<Member> at) {
    return !at.isEmpty() && members.hasIdsOf(directory.nodeId());
  }

  /** Returns whether a host name may be that of a server of the directory or a member of the cluster. */
  boolean mayBePeer(String host, int port) {
    return !members.at(host, null, port).isEmpty() || members.queryUnknown()
      || directory.servicesAt(port).stream().filter(entry -> RouteNames.isRoute(entry.name())).anyMatch(entry -> {
        NodeEntry peer = directory.node(entry.nodeId()).orElse(null);
        return peer != null && isForClients(new Route.Fabric(entry, peer));
      });
  }

  private boolean isForClients(Route.Fabric server) {
    return (isForced() || !server.isFabricOnly()) && (options.streams() || !server.isByRule());
  }

  private boolean isForced() {
    return options.rdma().getFabric() != null;
  }

  /** Returns whether the address belongs to the node. On another host, only the node's public address and those of fabrics count. */
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

  private static boolean isInNetworkOf(NodeEntry self, NodeEntry peer) {
    return LivenessSocket.sameHost(self.process(), peer.process()) && self.process().netNamespace() == peer.process().netNamespace();
  }

  private static InetAddress host(NodeEntry node) {
    InetAddress host = RouteNames.literal(node.controlHost());
    return host == null || host.isLoopbackAddress() || host.isAnyLocalAddress() ? null : host;
  }

  /** Records that TCP is used. @return null, or a failure if a fabric is required */
  RdmaException byTcp(Target target, Route.Tcp tcp) {
    if (tcp.reason() == TcpReason.OTHER_SERVER) {
      if (!target.rdma()) {
        advise(target);
        return null;
      }
      return new RdmaException(Reason.NOT_FOUND, "no server at " + target + " is in the directory. The server must listen on an "
        + "rdma:// address or have streams over fabrics switched on, and use the same directory");
    }
    if (target.rdma() || isForced()) {
      return refusal(target.toString(), target.rdma() ? null : options.rdma().getFabric(), tcp);
    }
    TransportCounters.PROCESS.tookTcp(tcp.reason());
    usedRoutes.tcp(tcp.nodeId(), tcp.name(), target.toString(), tcp.reason(), tcp.why());
    return null;
  }

  private void advise(Target target) {
    if (!options.streams() || advised.size() >= MAX_ADVISED || !advised.add(target.toString())) {
      return;
    }
    LookupFailure.groupsWith(directory, entry -> entry instanceof ServiceEntry service && RouteNames.isRoute(service.name())
      && service.name().endsWith(":" + target.port())).onSuccess(groups -> {
        if (!groups.isEmpty()) {
          LOG.warn("Connections to " + target + " use TCP: the server there is in group '" + groups.getFirst() + "', and not in the "
            + directory.where() + ". Give both nodes the same group, by DirectoryOptions or -Dvertx.rdma.group="
            + groups.getFirst());
        }
      });
  }

  static RdmaException refusal(String target, String forced, Route.Tcp tcp) {
    return new RdmaException(tcp.reason() == TcpReason.SEVERAL_NODES ? Reason.NOT_FOUND : Reason.UNREACHABLE, "cannot connect to "
      + target
      + " over a fabric" + (forced == null ? "" : ", and fabric '" + forced + "' is forced") + ": " + tcp.why());
  }

  void reached(Target target, Route.Fabric server, String device, Object choice) {
    if (failures.remove(server.entry()) != null) {
      changed();
    }
    usedRoutes.fabric(server.peer().nodeId(), server.peer().name(), target.toString(), device, choice);
  }

  Route.Tcp failed(Route.Fabric server, Throwable cause) {
    long now = nanoTime.getAsLong();
    failures.values().removeIf(failure -> now - failure.untilNanos > PAUSES.maxBackoff().toNanos());
    Failure failure = failures.compute(server.entry(), (entry, before) -> {
      Attempts pauses = before == null ? new Attempts(PAUSES) : before.pauses;
      // Concurrent failures count once.
      return before != null && now - before.untilNanos < 0 ? before
        : new Failure(pauses, now + pauses.next(false, 0), String.valueOf(cause.getMessage()));
    });
    return byTcp(server, failure);
  }

  /** Uses the given entry of the server, since a rejoin may have replaced the current one. */
  private static Route.Tcp byTcp(Route.Fabric server, Failure failure) {
    return new Route.Tcp(TcpReason.NOT_REACHED, server.peer().nodeId(), server.peer().name(), failure.why,
      server.moves(), failure.untilNanos);
  }
}
