package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;

import io.netty.util.IllegalReferenceCountException;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ShmZeroCopyTest extends FabricPair {
  private static final int SIZE = 1 << 20;

  @Override
  String fabric() {
    return "shm";
  }

  /** A change of the sender's is seen by the handler. The first messages are copied: the sender's memory is mapped with the first read. */
  @Test
  void aViewIsTheMemoryThatTheSenderFilled() throws Exception {
    AtomicReference<Buffer> sent = new AtomicReference<>();
    AtomicInteger seen = new AtomicInteger();
    AtomicBoolean changes = new AtomicBoolean();
    await(server.createServer().connectHandler(c -> c.viewHandler(memory -> {
      try {
        sent.get().setByte(SIZE / 2, (byte) 1);
        changes.set(memory.get(ValueLayout.JAVA_BYTE, SIZE / 2) == 1);
      } catch (IllegalReferenceCountException e) {
        // It was copied, and the sender has its memory back.
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
