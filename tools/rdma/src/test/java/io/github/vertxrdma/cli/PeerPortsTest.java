package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerPortsTest {
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  private static NodeEntry node(String id, int controlPort) {
    return NodeEntry.local(id, 1).withControl("127.0.0.1", controlPort);
  }

  private static ServiceEntry server(String node, String address) {
    return new ServiceEntry("tcp/" + address, node, 1, 0, List.of(), new JsonObject());
  }

  @Test
  void openAndClosedPortsAreDistinguished() throws Exception {
    try (Socket closed = new Socket(); ServerSocket open = new ServerSocket(0, 1, LOOPBACK)) {
      closed.bind(new InetSocketAddress(LOOPBACK, 0));
      int port = open.getLocalPort();
      List<PeerPorts.Port> ports = PeerPorts.of(node("a", 0), node("b", closed.getLocalPort()),
        List.of(server("b", "127.0.0.1:" + port), server("c", "127.0.0.1:1")), Set.of());
      assertEquals(2, ports.size(), ports.toString());
      assertEquals("control", ports.getFirst().use());
      assertTrue(ports.getFirst().answer().startsWith("refused: nothing listens there"), ports.toString());
      assertEquals(new PeerPorts.Port("b", "server", "127.0.0.1:" + port, "reachable"), ports.getLast());
    }
  }

  /** The kernel drops packets for a socket with a full queue of connections, as a firewall does. */
  @Test
  void portThatDropsConnectsIsDistinguishedFromClosedOnes() throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, LOOPBACK)) {
      InetSocketAddress address = new InetSocketAddress(LOOPBACK, full.getLocalPort());
      for (int i = 0; i < 8; i++) {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.connect(address);
        waiting.add(channel);
      }
      assertEquals("no answer within 2000 ms; a firewall may drop the packets", PeerPorts.answer(address));
    } finally {
      for (SocketChannel channel : waiting) {
        channel.close();
      }
    }
  }
}
