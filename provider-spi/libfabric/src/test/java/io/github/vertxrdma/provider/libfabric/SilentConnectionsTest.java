package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Connections to a listener of tcp that send nothing. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "what the library has taken is found in /proc")
class SilentConnectionsTest {
  private static final int MORE = 76;
  private static final int POLLS = 40;

  private final List<SocketChannel> clients = new ArrayList<>();

  @Test
  @Tag("full")
  void silentConnectionsAreFewAndTimeOut() throws IOException {
    try (Pair pair = Pair.connected(Devices.require(new LibfabricProvider(), "tcp"))) {
      Endpoint left = pair.left();
      Endpoint right = pair.right();
      SocketAddress at = pair.listener().localAddress().toInet();
      for (int i = 0; i < SilentConnections.MOST + MORE; i++) {
        SocketChannel client = SocketChannel.open(at);
        client.configureBlocking(false);
        clients.add(client);
        for (int polls = 0; polls < POLLS; polls++) {
          pair.b.poll();
        }
      }
      pair.until("the oldest are reset", () -> alive() <= SilentConnections.MOST);
      assertTrue(alive() > SilentConnections.MOST / 2, "the others have time");
      pair.connect();
      pair.until("all are reset", () -> alive() == 0);
      for (Endpoint end : List.of(left, right, pair.left(), pair.right())) {
        assertEquals(EndpointState.CONNECTED, end.state());
      }
      for (Endpoint from : List.of(left, pair.left())) {
        pair.a.send(from, new byte[] {7}, PostFlags.SIGNALED);
        assertArrayEquals(new byte[] {7}, pair.message(pair.b).data());
      }
    } finally {
      for (SocketChannel client : clients) {
        client.close();
      }
    }
  }

  private long alive() {
    return clients.stream().filter(SilentConnectionsTest::isAlive).count();
  }

  private static boolean isAlive(SocketChannel client) {
    try {
      if (client.isOpen() && client.read(ByteBuffer.allocate(1)) < 0) {
        client.close();
      }
      return client.isOpen();
    } catch (IOException e) {
      return false;
    }
  }
}
