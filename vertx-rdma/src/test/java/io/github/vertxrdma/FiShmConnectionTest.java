package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
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
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("large"));
    RdmaConnection connection = await(client.connect("large"));
    Promise<Buffer> back = Promise.promise();
    connection.handler(back::complete);
    await(connection.write(Buffer.buffer(bytes)));
    assertArrayEquals(bytes, await(back.future()).getBytes());
    for (Rdma node : new Rdma[] {server, client}) {
      DeviceStatistics device = await(node.statistics()).devices().getFirst();
      assertEquals(bytes.length, device.traffic().bytesReceived());
      assertEquals(0, device.traffic().reads());
    }
  }
}
