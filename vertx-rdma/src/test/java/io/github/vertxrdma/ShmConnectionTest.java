package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.statistics.DeviceStatistics;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ShmConnectionTest extends FabricPair {
  @Override
  String fabric() {
    return "shm";
  }

  /** In memory that both processes map, whatever their loops are doing. */
  @Test
  void largeMessagesAreRead() throws Exception {
    byte[] bytes = new byte[3_000_001];
    new Random(3).nextBytes(bytes);
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("large"));
    RdmaConnection connection = await(client.connect("large"));
    ConnectionTest.assertEchoed(connection, bytes);
    for (Rdma node : new Rdma[] {server, client}) {
      DeviceStatistics device = await(node.statistics()).devices().getFirst();
      assertEquals(bytes.length, device.traffic().bytesReceived());
      assertTrue(device.traffic().reads() > 0);
    }
  }

  /** The first read maps the sender's memory; from then on messages are copied out of it, and no read is posted. */
  @Test
  void largeMessagesAreCopiedOutOfMappedMemory() throws Exception {
    byte[] bytes = new byte[3_000_001];
    new Random(4).nextBytes(bytes);
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("mapped"));
    RdmaConnection connection = await(client.connect("mapped"));
    for (int i = 0; i < 3; i++) {
      ConnectionTest.assertEchoed(connection, bytes);
    }
    for (Rdma node : new Rdma[] {server, client}) {
      DeviceStatistics device = await(node.statistics()).devices().getFirst();
      assertEquals(3L * bytes.length, device.traffic().bytesRead());
      assertTrue(device.oneSided().count() < device.traffic().reads(), device.oneSided() + ", " + device.traffic());
    }
  }
}
