package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes lead to the node that an address means from here, and a connecting node is known by an address that is its own. */
class FabricRoutesTest {
  private static final int PORT = 8080;
  private static final InetAddress ANY = new InetSocketAddress(0).getAddress();
  private static final NodeEntry SELF = node("self", "here", 1, "10.0.0.1");

  private static NodeEntry node(String id, String boot, long network, String host) {
    return new NodeEntry(id, 1, new ProcessIdentity(boot, network, 0, 0, 1, id.hashCode(), boot), host, 7000, "", "", List.of(), "");
  }

  private static ServiceEntry server(NodeEntry node, InetAddress ip) {
    FabricAddress listens = new FabricAddress("tcp", "tcp", 0, EndpointAddress.of(new InetSocketAddress("192.168.100.2", 9000)),
      Device.Reach.NETWORK, "");
    return new ServiceEntry(RouteNames.of(ip, PORT), node.nodeId(), node.epoch(), 0, List.of(listens), new JsonObject());
  }

  /** A directory that knows a node, and that it serves a port at whatever address is asked for. */
  private static DirectoryBackend directory(NodeEntry peer, InetAddress ip) {
    return (DirectoryBackend) Proxy.newProxyInstance(FabricRoutesTest.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "self" -> SELF;
        case "node" -> Optional.of(peer);
        case "services" -> List.of(server(peer, ip));
        default -> null;
      });
  }

  /** A directory with a node that has just come and has no server yet. */
  private static DirectoryBackend directoryWithNewcomer(NodeEntry newcomer) {
    return (DirectoryBackend) Proxy.newProxyInstance(FabricRoutesTest.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "nodeId" -> "self";
        case "node" -> Optional.of(newcomer);
        case "services" -> List.of();
        case "watchNodes" -> {
          @SuppressWarnings("unchecked")
          Handler<DirectoryEvent> handler = (Handler<DirectoryEvent>) arguments[0];
          handler.handle(new DirectoryEvent(DirectoryEvent.Type.ADDED, newcomer));
          yield null;
        }
        default -> null;
      });
  }

  @Test
  void newcomerIsAwaitedOnlyIfItMeetsTheCondition() {
    NodeEntry newcomer = peer("there", 1);
    FabricRoutes routes = new FabricRoutes(directoryWithNewcomer(newcomer));
    assertTrue(routes.awaitsNews(node -> node.equals(newcomer)));
    assertFalse(routes.awaitsNews(node -> false));
  }

  private static NodeEntry peer(String boot, long network) {
    return node("peer", boot, network, "10.0.0.2");
  }

  @ParameterizedTest
  @CsvSource({
    // On another host: the address that it is reached by, and where its fabrics listen.
    "there, 1, 10.0.0.2, true", "there, 1, 192.168.100.2, true",
    // The asker has the same ones itself, or means another host by them.
    "there, 1, 172.17.0.1, false", "there, 1, 192.168.122.1, false", "there, 1, 127.0.0.1, false", "there, 1, fe80::1, false",
    // In the same network all of them.
    "here, 1, 172.17.0.1, true", "here, 1, 127.0.0.1, true", "here, 1, 10.0.0.7, true",
    // In another one of the same host those of another host.
    "here, 2, 10.0.0.2, true", "here, 2, 172.17.0.1, false", "here, 2, 127.0.0.1, false"})
  void aRouteIsToAnAddressOfTheNodesOwn(String boot, long network, String address, boolean taken) {
    InetAddress ip = InetAddress.ofLiteral(address);
    FabricRoutes routes = new FabricRoutes(directory(peer(boot, network), ip));
    assertEquals(taken, routes.find(ip, PORT) != null);
  }

  /** An address that only the host itself means is not told to others. */
  @Test
  void aWildcardIsTheAddressesThatLeadHere() {
    List<String> names = RouteNames.ofBound(new InetSocketAddress(PORT));
    assertTrue(names.contains("tcp/127.0.0.1:" + PORT), names.toString());
    assertTrue(names.stream().noneMatch(name -> name.contains("fe80")), names.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "there, 1, 10.0.0.1, 10.0.0.2", "there, 1, 0.0.0.0, 10.0.0.2", "there, 1, 127.0.0.1, 10.0.0.2", "here, 2, 127.0.0.1, 10.0.0.2",
    "here, 1, 10.0.0.1, 10.0.0.1", "here, 1, 127.0.0.1, 127.0.0.1", "here, 1, 0.0.0.0, 127.0.0.1"})
  void aConnectingNodeIsKnownByItsEntry(String boot, long network, String bound, String known) {
    assertEquals(new InetSocketAddress(InetAddress.ofLiteral(known), 50_000),
      StreamAddresses.of(peer(boot, network), SELF, InetAddress.ofLiteral(bound), 50_000));
  }

  /** Least of all by the loopback or the server's own address, which lists of those who may come have. */
  @Test
  void whoseAddressIsUnknownHasNone() {
    for (NodeEntry node : new NodeEntry[] {null, node("peer", "there", 1, ""), node("peer", "there", 1, "127.0.0.1"),
      node("peer", "there", 1, "0.0.0.0"), node("peer", "", 0, "")}) {
      assertEquals(new InetSocketAddress(ANY, 50_000), StreamAddresses.of(node, SELF, InetAddress.getLoopbackAddress(), 50_000));
    }
  }

  @Test
  void portsGoFromOneEndToTheOther() {
    int port = StreamAddresses.nextPort();
    assertEquals(port, StreamAddresses.decode(StreamAddresses.encode(port)));
    assertTrue(StreamAddresses.decode(new byte[6]) > 49_000);
  }

  @Test
  void failedRouteIsRememberedForAWhile() {
    InetAddress ip = InetAddress.ofLiteral("10.0.0.2");
    FabricRoutes routes = new FabricRoutes(directory(peer("there", 1), ip));
    FabricRoutes.Route route = routes.find(ip, PORT);
    assertFalse(routes.failedLately(route));
    routes.failed(route);
    assertTrue(routes.failedLately(routes.find(ip, PORT)));
  }

  @Test
  void whatIsRememberedIsBounded() {
    NodeEntry peer = peer("there", 1);
    FabricRoutes routes = new FabricRoutes(directory(peer, InetAddress.ofLiteral("10.0.0.2")));
    FabricRoutes.Route route = new FabricRoutes.Route(server(peer, InetAddress.ofLiteral("10.0.0.2")), peer);
    for (int i = 0; i < FabricRoutes.TOLD + 10; i++) {
      routes.tell(route, "over TCP, since " + i);
    }
    assertEquals(FabricRoutes.TOLD, routes.remembered());
  }
}
