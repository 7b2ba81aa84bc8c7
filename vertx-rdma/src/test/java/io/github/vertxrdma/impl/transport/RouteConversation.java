package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.github.vertxrdma.statistics.PeerWay;
import io.vertx.core.Completable;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class RouteConversation {
  private static final String SERVER = "10.0.0.2";
  private static final int PORT = 9000;
  private static final NodeEntry SELF = node("self", "10.0.0.1");
  private static final NodeEntry PEER = node("peer", SERVER);

  private final Situation situation;
  private final boolean forced;
  private final boolean rdma;
  private final List<ServiceEntry> services = new ArrayList<>();
  private final List<NodeEntry> nodes = new ArrayList<>(List.of(SELF));
  private final Ways ways = new Ways(System::nanoTime);
  private final Map<String, NodeInfo> members = new LinkedHashMap<>(Map.of("self", new NodeInfo("10.0.0.1", PORT, null)));
  private String obstacle;
  private long time;

  enum Situation {
    UNKNOWN(TcpReason.OTHER_SERVER), WITHOUT_LIBRARY(TcpReason.NO_LIBRARY), WITHOUT_ENTRY(TcpReason.NOT_IN_DIRECTORY, true),
    LATE_ENTRY(null), LATE_INFO(TcpReason.OTHER_SERVER, true), UNSEEN(TcpReason.OTHER_SERVER, true), ELSEWHERE(TcpReason.OTHER_ADDRESS),
    SEVERAL(TcpReason.SEVERAL_NODES), SUCCESSOR(TcpReason.SEVERAL_NODES, true), SOCKETS(TcpReason.KERNEL_SOCKETS),
    UNREACHABLE(TcpReason.NOT_REACHED), FAILED(TcpReason.NOT_REACHED, true), REJOINED(TcpReason.NOT_REACHED, true),
    LEFT(TcpReason.NOT_REACHED, true), REACHED(null), MEMBER_REACHED(null), RESTARTED(null), REPLACED(null),
    BY_RULE(TcpReason.OTHER_SERVER);

    private final TcpReason reason;
    private final boolean movable;

    Situation(TcpReason reason) {
      this(reason, false);
    }

    Situation(TcpReason reason, boolean movable) {
      this.reason = reason;
      this.movable = movable;
    }

    /** Returns whether the answer is TCP for every connection without a list of servers to choose from. */
    private boolean isByTcp(boolean demanded) {
      return reason != null && !(demanded && (this == SOCKETS || reason == TcpReason.NOT_REACHED));
    }
  }

  private RouteConversation(long seed) {
    situation = Situation.values()[(int) (seed % Situation.values().length)];
    forced = seed / Situation.values().length % 2 == 1;
    rdma = seed / Situation.values().length / 2 % 2 == 1 && situation != Situation.BY_RULE;
    prepare();
  }

  static long count() {
    return 4L * Situation.values().length;
  }

  static String found(long seed) throws IOException {
    RouteConversation conversation = new RouteConversation(seed);
    String found = conversation.play();
    return found == null ? null
      : conversation.situation + (conversation.forced ? ", forced" : "") + (conversation.rdma ? ", rdma://" : "") + ": " + found;
  }

  private static NodeEntry node(String id, String host) {
    return new NodeEntry(id, 1, new ProcessIdentity(1, 0, 0, 1, id.hashCode(), id), host, 7000, "", "", List.of(), "");
  }

  private void publish(NodeEntry node, String address, JsonObject metadata) {
    publish(node, 1, address, metadata);
  }

  private void publish(NodeEntry node, long epoch, String address, JsonObject metadata) {
    nodes.add(node);
    services.add(new ServiceEntry("tcp/" + address, node.nodeId(), epoch, 0, List.of(), metadata));
  }

  private void prepare() {
    String address = SERVER + ':' + PORT;
    NodeInfo server = new NodeInfo(SERVER, PORT, new JsonObject().put(ClusterMembers.LIBRARY, "1"));
    switch (situation) {
      case UNKNOWN -> {
      }
      case WITHOUT_LIBRARY -> members.put("peer", new NodeInfo(SERVER, PORT, null));
      case WITHOUT_ENTRY, LATE_ENTRY -> members.put("peer", server);
      case LATE_INFO -> members.put("peer", null);
      case UNSEEN -> members.put("peer", server);
      case RESTARTED, REPLACED -> members.put("before", server);
      case SUCCESSOR -> {
        members.put("peer", server);
        members.put("before", server);
        publish(PEER, address, new JsonObject());
        publish(node("before", SERVER), address, new JsonObject());
      }
      case ELSEWHERE -> {
        members.put("peer", server);
        publish(PEER, "10.0.0.3:9001", new JsonObject());
      }
      case SEVERAL -> {
        publish(PEER, address, new JsonObject());
        publish(node("another", SERVER), address, new JsonObject());
      }
      case BY_RULE -> publish(PEER, address, new JsonObject().put(Route.BY_RULE, true));
      case MEMBER_REACHED -> {
        members.put("peer", server);
        publish(PEER, address, new JsonObject());
        publish(node("another", SERVER), address, new JsonObject());
      }
      case SOCKETS, UNREACHABLE, FAILED, REJOINED, LEFT, REACHED -> publish(PEER, address, new JsonObject().put(Route.MOVES, true));
    }
    obstacle = situation == Situation.SOCKETS ? "" : situation == Situation.UNREACHABLE ? "shm: another folder" : null;
  }

  private DirectoryBackend directory() {
    return (DirectoryBackend) Proxy.newProxyInstance(RouteConversation.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "self" -> SELF;
        case "nodeId" -> SELF.nodeId();
        case "type", "where" -> "test directory";
        case "node" -> nodes.stream().filter(node -> node.nodeId().equals(arguments[0])).findFirst();
        case "services" -> arguments == null ? services : services.stream().filter(entry -> entry.name().equals(arguments[0])).toList();
        default -> Optional.empty();
      });
  }

  @SuppressWarnings("unchecked")
  private ClusterManager manager() {
    return (ClusterManager) Proxy.newProxyInstance(RouteConversation.class.getClassLoader(), new Class<?>[] {ClusterManager.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "isActive" -> true;
        case "getNodeId" -> "self";
        case "getNodes" -> List.copyOf(members.keySet());
        case "getNodeInfo" -> {
          if (arguments != null) {
            ((Completable<NodeInfo>) arguments[1]).succeed(members.get(arguments[0]));
          }
          yield members.get("self");
        }
        default -> null;
      });
  }

  private String play() throws IOException {
    List<InetSocketAddress> knocks = new ArrayList<>();
    FabricRoutes routes = new FabricRoutes(directory(), new ClusterMembers(manager()),
      new TransportOptions(new RdmaOptions().setFabric(forced ? "shm" : null), true, false), (peer, addresses) -> obstacle, ways,
      knocks::add, () -> time);
    Target target = new Target(SERVER, InetAddress.ofLiteral(SERVER), PORT, rdma, time);
    if (members.size() > 1 && !(routes.route(target) instanceof Route.NotYet)) {
      return "the first question has the answer " + routes.route(target) + " before the cluster manager was asked";
    }
    if (situation == Situation.WITHOUT_ENTRY && !(routes.route(target) instanceof Route.NotYet)) {
      return "the first question about a member without an entry has the answer " + routes.route(target);
    }
    if (situation == Situation.WITHOUT_ENTRY && !knocks.equals(List.of(target.address()))) {
      return "a member without an entry was not asked once to start, but " + knocks;
    }
    if (situation == Situation.LATE_ENTRY) {
      publish(PEER, SERVER + ':' + PORT, new JsonObject());
    }
    if (situation == Situation.RESTARTED || situation == Situation.REPLACED) {
      routes.route(target);
      members.put("peer", members.get("before"));
      if (situation == Situation.RESTARTED) {
        members.remove("before");
      }
      publish(PEER, SERVER + ':' + PORT, new JsonObject());
      routes.route(target);
    }
    if (situation == Situation.REPLACED) {
      publish(node("before", SERVER), SERVER + ':' + PORT, new JsonObject());
      if (!(routes.route(target) instanceof Route.NotYet)) {
        return "before the entry of the process that has ended is gone, the answer is " + routes.route(target);
      }
      services.removeLast();
    }
    if (situation == Situation.UNSEEN) {
      routes.route(target);
      members.remove("peer");
    }
    time += FabricRoutes.START_NANOS;
    boolean demanded = forced || rdma;
    Route route = routes.route(target);
    if (route instanceof Route.Fabric server && !demanded && situation.reason == TcpReason.NOT_REACHED) {
      route = failed(routes, target, server);
    }
    if (!situation.isByTcp(demanded)) {
      return route instanceof Route.Fabric server && server.peer().equals(PEER) ? null : "the answer is " + route;
    }
    return route instanceof Route.Tcp tcp && tcp.reason() == situation.reason ? byTcp(routes, target, tcp, demanded)
      : "the answer is " + route;
  }

  /**
   * Fails to reach a server whose entry may have changed meanwhile.
   *
   * @return the answer that follows
   */
  private Route failed(FabricRoutes routes, Target target, Route.Fabric server) {
    if (situation != Situation.FAILED) {
      services.clear();
    }
    if (situation == Situation.REJOINED) {
      publish(PEER, 2, SERVER + ':' + PORT, new JsonObject().put(Route.MOVES, true));
    }
    Route.Tcp failed = routes.failed(server, new IOException("it did not answer"));
    return situation == Situation.FAILED ? routes.route(target) : failed;
  }

  private String byTcp(FabricRoutes routes, Target target, Route.Tcp tcp, boolean demanded) {
    if (tcp.movable() != situation.movable) {
      return "the connection " + (tcp.movable() ? "may move" : "stays on TCP for its life");
    }
    RdmaException refused = routes.byTcp(target, tcp);
    boolean other = tcp.reason() == TcpReason.OTHER_SERVER;
    if (rdma || demanded && !other) {
      return refused == null ? "TCP serves it" : !refused.getMessage().contains(tcp.why()) ? "the reason is missing: " + refused : null;
    }
    List<PeerWay> noted = ways.now();
    long counted = ways.byTcp().stream().filter(each -> each.reason().equals(tcp.reason().label())).mapToLong(each -> each.count()).sum();
    return refused != null ? "it failed: " + refused
      : counted != (other ? 0 : 1) ? counted + " connections are counted"
        : noted.size() != (other ? 0 : 1) ? noted + " is noted" : null;
  }
}
