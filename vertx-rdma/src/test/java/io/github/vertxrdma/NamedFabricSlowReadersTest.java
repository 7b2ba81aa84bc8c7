package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many writers and a reader that stops at random, by pausing and by blocking its event loop. A device without a posted receive may end the
 * connection, as iWARP does. Credits prevent that: no message is lost, and no connection ends.
 */
@NamedFabric
@Timeout(1800)
class NamedFabricSlowReadersTest extends FabricPair {
  private static final int CONNECTIONS = 12;
  private static final int MESSAGES = 600;
  /** Few credits, so that writers often have none. */
  private static final int CREDITS = 4;
  private static final int LONGEST = 16 << 10;
  private static final long SEED = 20_261;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicInteger stops = new AtomicInteger();
  private final AtomicInteger full = new AtomicInteger();
  private final AtomicInteger read = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }

  @Override
  RdmaOptions options() {
    return super.options().setDataCredits(CREDITS);
  }

  private static Buffer message(int n) {
    Random random = new Random(SEED + n);
    // Some messages exceed one receive, so the reader fetches them by remote reads.
    byte[] bytes = new byte[Integer.BYTES + (n % 100 == 99 ? 4 * LONGEST : (int) Math.pow(LONGEST, random.nextDouble()))];
    random.nextBytes(bytes);
    return Buffer.buffer(bytes).setInt(0, n);
  }

  private void fail(String what, Throwable cause) {
    failure.compareAndSet(null, new AssertionError(what, cause));
  }

  private final class Reader {
    private final Random random;
    private int next;

    Reader(RdmaConnection connection, int number) {
      random = new Random(number);
      connection.exceptionHandler(cause -> fail("reader " + number, cause));
      connection.closeHandler(v -> {
        if (next < MESSAGES) {
          fail("reader " + number + " was cut off after " + next + " messages", null);
        }
      });
      connection.endHandler(v -> ended.incrementAndGet());
      connection.handler(message -> {
        if (!message.equals(message(next))) {
          fail("reader " + number + ": message " + next + " is another, or spoilt", null);
        }
        next++;
        read.incrementAndGet();
        int dice = random.nextInt(400);
        if (dice < 8) {
          stops.incrementAndGet();
          connection.pause();
          Vertx.currentContext().owner().setTimer(1 + random.nextInt(dice == 0 ? 3000 : 300), t -> connection.resume());
        } else if (dice == 8) {
          stops.incrementAndGet();
          block(1 + random.nextInt(400));
        }
      });
    }
  }

  private static void block(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Writer {
    private final RdmaConnection connection;
    private int next;

    Writer(RdmaConnection connection, int number) {
      this.connection = connection;
      connection.setWriteQueueMaxSize(LONGEST);
      connection.exceptionHandler(cause -> fail("writer " + number, cause));
      connection.closeHandler(v -> fail("writer " + number + " was cut off", null));
      connection.drainHandler(v -> write());
    }

    void write() {
      while (next < MESSAGES) {
        if (connection.writeQueueFull()) {
          full.incrementAndGet();
          return;
        }
        connection.write(message(next++)).onFailure(cause -> fail("a write", cause));
        if (next == MESSAGES) {
          connection.end().onFailure(cause -> fail("an end", cause));
        }
      }
    }
  }

  @Test
  void aSlowReaderNeitherLosesAMessageNorItsConnection() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    await(server.createServer().connectHandler(c -> new Reader(c, accepted.getAndIncrement())).listen("slow"));
    List<RdmaConnection> connections = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < CONNECTIONS; i++) {
      int number = i;
      connections.add(await(client.connect("slow").map(connection -> {
        new Writer(connection, number).write();
        return connection;
      })));
    }
    until("all were read", () -> failure.get() != null || ended.get() == CONNECTIONS, TimeUnit.MINUTES.toMillis(25));
    assertNull(failure.get());
    assertEquals(CONNECTIONS * MESSAGES, read.get());
    System.out.printf("%s: %d messages on %d connections in %d ms; readers stopped %d times, writers were full %d times%n",
      connections.getFirst().fabric().device(), read.get(), CONNECTIONS, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
      stops.get(), full.get());
    assertTrue(stops.get() >= 2 * CONNECTIONS && full.get() >= CONNECTIONS, stops.get() + " stops, full " + full.get() + " times");
    for (RdmaConnection connection : connections) {
      connection.closeHandler(null);
      await(connection.close());
    }
  }
}
