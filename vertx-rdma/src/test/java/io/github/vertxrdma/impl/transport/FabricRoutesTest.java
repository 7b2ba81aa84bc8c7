package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricRoutesTest {
  private final Ways ways = new Ways(System::nanoTime);
  private long time;
  private static final int PORT = 8080;
  private static final InetAddress ANY = new InetSocketAddress(0).getAddress();
  private static final NodeEntry SELF = node("self", "here", 1, "10.0.0.1");

  /** Creates a node. Nodes with equal places are in one process. */
  private static NodeEntry node(String id, String place, long network, String host) {
    return new NodeEntry(id, 1, new ProcessIdentity(network, 0, 0, 1, place.hashCode(), place), host, 7000, "", "", List.of(), "");
  }

  private static ServiceEntry server(NodeEntry node, InetAddress ip) {
    FabricAddress listens = new FabricAddress("tcp", "tcp", 0, EndpointAddress.of(new InetSocketAddress("192.168.100.2", 9000)),
      Device.Reach.NETWORK, "");
    return new ServiceEntry(RouteNames.of(ip, PORT), node.nodeId(), node.epoch(), 0, List.of(listens), new JsonObject());
  }

  /** Creates a directory with a node that serves a port at any address. */
  private static DirectoryBackend directory(NodeEntry peer, InetAddress ip) {
    return (DirectoryBackend) Proxy.newProxyInstance(FabricRoutesTest.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "self" -> SELF;
        case "nodeId" -> SELF.nodeId();
        case "type", "where" -> "test directory";
        case "node" -> Optional.of(peer);
        case "services" -> List.of(server(peer, ip));
        default -> null;
      });
  }

  private FabricRoutes routes(DirectoryBackend directory, String fabric, String obstacle) {
    return new FabricRoutes(directory, new ClusterMembers(null), new TransportOptions(new RdmaOptions().setFabric(fabric), true, true),
      (peer, addresses) -> obstacle, ways, absent -> {}, () -> time);
  }

  private static FabricRoutes.Target target(String address) {
    return new FabricRoutes.Target(address, InetAddress.ofLiteral(address), PORT, false, 0);
  }

  private static NodeEntry peer(String place, long network) {
    return node("peer", place, network, "10.0.0.2");
  }

  @ParameterizedTest
  @CsvSource({
    // On another host: the addresses at which the node and its fabrics are reached.
    "there, 1, 10.0.0.2, true", "there, 1, 192.168.100.2, true",
    // Addresses that the client has too, or that mean another host for the client.
    "there, 1, 172.17.0.1, false", "there, 1, 192.168.122.1, false", "there, 1, 127.0.0.1, false", "there, 1, fe80::1, false",
    // In the same network: all addresses of the node.
    "here, 1, 172.17.0.1, true", "here, 1, 127.0.0.1, true", "here, 1, 10.0.0.7, true",
    // In another network of the same host: only addresses that hosts outside use.
    "here, 2, 10.0.0.2, true", "here, 2, 172.17.0.1, false", "here, 2, 127.0.0.1, false"})
  void aRouteIsToAnAddressOfTheNodesOwn(String place, long network, String address, boolean taken) {
    InetAddress ip = InetAddress.ofLiteral(address);
    FabricRoutes routes = routes(directory(peer(place, network), ip), null, null);
    assertEquals(taken, routes.route(target(address)) instanceof Route.Fabric);
  }

  @Test
  void aWildcardIsTheAddressesThatLeadHere() {
    List<String> names = RouteNames.ofBound(new InetSocketAddress(PORT));
    assertTrue(names.contains("tcp/127.0.0.1:" + PORT), names.toString());
    assertTrue(names.stream().noneMatch(name -> name.contains("fe80")), names.toString());
  }

  private static Route.Tcp tcp(FabricRoutes routes) {
    return assertInstanceOf(Route.Tcp.class, routes.route(target("10.0.0.2")));
  }

  private static DirectoryBackend directory() {
    return directory(peer("there", 1), InetAddress.ofLiteral("10.0.0.2"));
  }

  @Test
  void serverIsNotTriedForAWhileAfterAFailureAndIsTriedByAForcedFabric() {
    for (String fabric : new String[] {null, "nio"}) {
      FabricRoutes routes = routes(directory(), fabric, null);
      Route.Fabric server = assertInstanceOf(Route.Fabric.class, routes.route(target("10.0.0.2")));
      assertEquals("it did not answer", routes.failed(server, new IOException("it did not answer")).why());
      if (fabric == null) {
        assertEquals(TcpReason.NOT_REACHED, tcp(routes).reason());
      } else {
        assertInstanceOf(Route.Fabric.class, routes.route(target("10.0.0.2")));
      }
    }
  }

  @Test
  void forcedFabricRefusesTcp() {
    Route.Tcp tcp = new Route.Tcp(TcpReason.NO_LIBRARY, "peer", "there", "the peer does not use vertx-rdma");
    assertNull(routes(directory(), null, null).byTcp(target("10.0.0.2"), tcp));
    assertEquals("cannot connect to 10.0.0.2:" + PORT + " over a fabric, and fabric 'nio' is forced: the peer does not use vertx-rdma",
      routes(directory(), "nio", null).byTcp(target("10.0.0.2"), tcp).getMessage());
  }

  @Test
  void pausesBetweenTriesGrowUntilServerIsReached() {
    FabricRoutes routes = routes(directory(), null, null);
    Route.Fabric server = assertInstanceOf(Route.Fabric.class, routes.route(target("10.0.0.2")));
    long first = FabricRoutes.PAUSES.initialBackoff().toNanos();
    for (long pause = first; pause < FabricRoutes.PAUSES.maxBackoff().toNanos(); pause *= 2) {
      routes.failed(server, new IOException("it did not answer"));
      routes.failed(server, new IOException("it did not answer"));
      time += pause - 1;
      assertEquals(TcpReason.NOT_REACHED, tcp(routes).reason());
      time++;
      assertInstanceOf(Route.Fabric.class, routes.route(target("10.0.0.2")));
    }
    routes.reached(target("10.0.0.2"), server, "shm", "shm");
    routes.failed(server, new IOException("it did not answer"));
    time += first;
    assertInstanceOf(Route.Fabric.class, routes.route(target("10.0.0.2")));
  }
}
