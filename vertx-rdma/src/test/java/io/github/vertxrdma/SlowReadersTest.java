package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("long")
class SlowReadersTest extends FabricPair {
  private static final int STREAMS = 1000;
  private static final int MESSAGE = 1000;
  private static final int BUFFER = 4096;
  private static final int CREDITS = 4;
  private static final int CONTROL = 8;
  private static final int WRITE_QUEUE = 16 << 10;
  /** Bytes in flight of one stream: receives at both ends, and queued messages. */
  private static final int WINDOW = 2 * (CREDITS + CONTROL) * BUFFER + WRITE_QUEUE;
  /** Bytes of futures and buffers of these messages, and a stream's share of compiled code. */
  private static final int OBJECTS = 64 << 10;

  @Override
  String fabric() {
    return "nio";
  }

  @Override
  RdmaOptions options() {
    return super.options().setBufferSize(BUFFER).setDataCredits(CREDITS).setControlCredits(CONTROL);
  }

  private static long memory() throws Exception {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long used = runtime.totalMemory() - runtime.freeMemory();
    Path status = Path.of("/proc/self/status");
    long resident = !Files.exists(status) ? 0 : Files.readAllLines(status).stream().filter(line -> line.startsWith("VmRSS:"))
      .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0) - runtime.totalMemory();
    return used + Math.max(0, resident);
  }

  @Test
  @Timeout(600)
  void memoryIsBoundedByTheWindows() throws Exception {
    ConcurrentLinkedQueue<RdmaConnection> accepted = new ConcurrentLinkedQueue<>();
    AtomicLong read = new AtomicLong();
    await(server.createServer().connectHandler(c -> {
      c.handler(m -> read.addAndGet(m.length()));
      c.pause();
      accepted.add(c);
    }).listen("slow"));
    await(client.connect("slow")).close();
    long without = memory();
    List<RdmaConnection> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      streams.add(await(client.connect("slow")).setWriteQueueMaxSize(WRITE_QUEUE));
    }
    until("all were accepted", () -> accepted.size() == STREAMS + 1);
    long before = memory();
    long written = 0;
    List<Future<?>> handedOver = new ArrayList<>();
    long quiet = System.nanoTime();
    while (System.nanoTime() - quiet < TimeUnit.SECONDS.toNanos(2)) {
      for (RdmaConnection stream : streams) {
        while (!stream.writeQueueFull()) {
          handedOver.add(stream.write(Buffer.buffer(new byte[MESSAGE])));
          written += MESSAGE;
          quiet = System.nanoTime();
        }
      }
    }
    long perStream = written / STREAMS;
    long growth = memory() - before;
    System.out.printf("%d streams, of %d bytes each at both ends, took %d bytes each, and %d bytes of memory more%n", STREAMS,
      (before - without) / STREAMS, perStream, growth / STREAMS);
    assertTrue(perStream <= WINDOW, perStream + " bytes were taken by each stream, whose window is " + WINDOW);
    assertTrue(growth <= (long) STREAMS * (WINDOW + OBJECTS), growth + " bytes for " + STREAMS + " streams with windows of " + WINDOW);
    long all = written;
    accepted.forEach(RdmaConnection::resume);
    await(Future.all(handedOver));
    until("everything was read", () -> read.get() == all);
    assertEquals(STREAMS + 1, accepted.size());
  }
}
