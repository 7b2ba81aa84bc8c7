package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.statistics.DeviceStatistics;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FiShmConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "fi-shm";
  }

  /** A read would take a turn of both loops. */
  @Test
  void largeMessagesAreNotRead() throws Exception {
    byte[] bytes = new byte[3_000_001];
    new Random(3).nextBytes(bytes);
    echo("large");
    RdmaConnection connection = await(client.connect("large"));
    assertEchoed(connection, bytes);
    for (Rdma node : new Rdma[] {server, client}) {
      DeviceStatistics device = await(node.statistics()).devices().getFirst();
      assertEquals(bytes.length, device.traffic().bytesReceived());
      assertEquals(0, device.traffic().reads());
    }
  }
}
