package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.util.IllegalReferenceCountException;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ShmMappedMemoryTest extends FabricPair {
  private static final int SIZE = 1 << 20;

  @Override
  String fabric() {
    return "shm";
  }

  /** The first read maps the sender's memory; from then on messages are copied out of it, and no read is posted. */
  @Test
  void largeMessagesAreCopiedOutOfMappedMemory() throws Exception {
    Buffer message = Buffer.buffer(BusServicePair.random(3_000_001));
    echo(server, "mapped");
    RdmaConnection connection = await(client.connect("mapped"));
    for (int i = 0; i < 3; i++) {
      assertEchoes(connection, message);
    }
    for (Rdma node : new Rdma[] {server, client}) {
      DeviceStatistics device = await(node.statistics()).devices().getFirst();
      assertEquals(3L * message.length(), device.traffic().bytesRead());
      assertTrue(device.oneSided().count() < device.traffic().reads(), device.oneSided() + ", " + device.traffic());
    }
  }

  /** The handler sees a later change by the sender. The first messages are copied, because the first read maps the memory of the sender. */
  @Test
  void viewIsTheMemoryThatTheSenderFilled() throws Exception {
    AtomicReference<Buffer> sent = new AtomicReference<>();
    AtomicInteger seen = new AtomicInteger();
    AtomicBoolean changes = new AtomicBoolean();
    await(server.createServer().connectHandler(c -> c.messageHandler(message -> {
      try {
        sent.get().setByte(SIZE / 2, (byte) 1);
        changes.set(message.segment().get(ValueLayout.JAVA_BYTE, SIZE / 2) == 1);
      } catch (IllegalReferenceCountException e) {
        // The message was copied, and the sender has its memory back.
      }
      seen.incrementAndGet();
    })).listen("views"));
    RdmaConnection connection = await(client.connect("views"));
    until("a message is viewed where its sender filled it", () -> {
      int before = seen.get();
      try {
        RdmaMessage message = await(connection.allocate(SIZE));
        sent.set(message.body().appendBytes(new byte[SIZE]));
        await(connection.write(message));
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      until("it is read", () -> seen.get() > before);
      return changes.get();
    });
  }
}
