package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Messages of log-uniform sizes up to 4 MiB in both directions, with readers that pause at random: all arrive in order, and memory stays
 * bounded. The seed is printed; {@code -Dvertx.rdma.test.seed} repeats a run.
 */
@OverFabrics({"nio", "shm", "tcp", "rxm"})
class StreamTest extends FabricPair {
  private static final int MAX = 4 << 20;
  /** Maximum growth of native memory: two ends with their queues, slabs and endpoints. The virtual machine bounds the heap. */
  private static final long MAX_GROWTH = 600L << 20;
  private static final byte[] PATTERN = pattern();

  private static byte[] pattern() {
    byte[] bytes = new byte[MAX + 4096];
    new Random(42).nextBytes(bytes);
    return bytes;
  }

  @Test
  @Tag("full")
  @Timeout(900)
  void twoGibibytes() throws Exception {
    run(1L << 30, Integer.MAX_VALUE);
  }

  @Test
  @Tag("long")
  @Timeout(3600)
  void aHundredThousandMessages() throws Exception {
    run(Long.MAX_VALUE, 50_000);
  }

  private void run(long bytesEachWay, int messagesEachWay) throws Exception {
    long seed = Long.getLong("vertx.rdma.test.seed", ThreadLocalRandom.current().nextLong());
    System.out.println(fabric() + ": seed " + seed);
    Promise<RdmaConnection> accepted = Promise.promise();
    await(server.createServer().connectHandler(connection -> {
      connection.pause();
      accepted.complete(connection);
    }).listen("stream"));
    RdmaConnection there = await(client.connect("stream"));
    RdmaConnection back = await(accepted.future());
    long before = nativeBytes();
    long start = System.nanoTime();
    Future<Void> received = Future.all(
      new Reader(serverVertx, back, seed, bytesEachWay, messagesEachWay).start(),
      new Reader(clientVertx, there, seed + 1, bytesEachWay, messagesEachWay).start()).mapEmpty();
    new Writer(there, seed, bytesEachWay, messagesEachWay).start();
    new Writer(back, seed + 1, bytesEachWay, messagesEachWay).start();
    received.toCompletionStage().toCompletableFuture().get(3500, TimeUnit.SECONDS);
    long growth = nativeBytes() - before;
    System.out.printf("%s: both ways in %.1f s, %d MiB of native memory more%n", fabric(), (System.nanoTime() - start) / 1e9, growth >> 20);
    assertTrue(growth < MAX_GROWTH, growth + " bytes of native memory more, at most " + MAX_GROWTH + " should be");
    await(there.close());
  }

  /** Resident bytes beside the heap; 0 if unknown. */
  private static long nativeBytes() throws Exception {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    long resident = Files.readAllLines(status).stream().filter(line -> line.startsWith("VmRSS:")).map(line -> line.replaceAll("\\D", ""))
      .mapToLong(Long::parseLong).findFirst().orElse(0) << 10;
    return resident - Runtime.getRuntime().totalMemory();
  }

  private static final class Messages {
    private final Random random;
    private final long maxBytes;
    private final int maxMessages;
    private long bytes;
    private int count;

    Messages(long seed, long maxBytes, int maxMessages) {
      this.random = new Random(seed);
      this.maxBytes = maxBytes;
      this.maxMessages = maxMessages;
    }

    boolean hasNext() {
      return bytes < maxBytes && count < maxMessages;
    }

    int next() {
      double exponent = random.nextDouble() * 23 - 1;
      int size = exponent < 0 ? 0 : (int) Math.pow(2, exponent);
      bytes += size;
      count++;
      return size;
    }

    int from() {
      return count * 31 & 4095;
    }
  }

  private static final class Writer {
    private final RdmaConnection connection;
    private final Messages messages;

    Writer(RdmaConnection connection, long seed, long maxBytes, int maxMessages) {
      this.connection = connection;
      this.messages = new Messages(seed, maxBytes, maxMessages);
    }

    void start() {
      connection.drainHandler(v -> write());
      write();
    }

    private synchronized void write() {
      while (messages.hasNext() && !connection.writeQueueFull()) {
        int size = messages.next();
        connection.write(Buffer.buffer(Arrays.copyOfRange(PATTERN, messages.from(), messages.from() + size)));
      }
    }
  }

  private static final class Reader {
    private final Vertx vertx;
    private final RdmaConnection connection;
    private final Messages expected;
    private final Random pauses;
    private final Promise<Void> done = Promise.promise();

    Reader(Vertx vertx, RdmaConnection connection, long seed, long maxBytes, int maxMessages) {
      this.vertx = vertx;
      this.connection = connection;
      this.expected = new Messages(seed, maxBytes, maxMessages);
      this.pauses = new Random(~seed);
    }

    Future<Void> start() {
      connection.exceptionHandler(done::tryFail);
      connection.handler(this::message);
      connection.resume();
      return done.future();
    }

    private void message(Buffer message) {
      if (!expected.hasNext()) {
        done.tryFail("a message too many, of " + message.length() + " bytes");
        return;
      }
      int size = expected.next();
      byte[] bytes = message.getBytes();
      int from = expected.from();
      if (bytes.length != size || !Arrays.equals(bytes, 0, size, PATTERN, from, from + size)) {
        done.tryFail("message " + expected.count + " should be " + size + " bytes and is " + bytes.length + ", or differs in content");
        return;
      }
      if (!expected.hasNext()) {
        done.tryComplete();
      } else if (pauses.nextInt(200) == 0) {
        connection.pause();
        vertx.setTimer(1 + pauses.nextInt(5), t -> connection.resume());
      }
    }
  }
}
