package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A device that fails random requests: each future completes once, with success or a reason, and the device holds nothing after the nodes
 * are closed.
 */
@ExtendWith(LeakCheck.class)
@OverFabrics(value = "verbs:nic",
  full = {"verbs:mlx5", "verbs:connectib", "verbs:iwarp", "verbs:irdma", "verbs:bnxt", "verbs:ib", "verbs:roce-multiport",
    "verbs:tiny", "verbs:erdma", "verbs:t6"})
class VerbsRandomFaultsTest extends FabricPair {
  /** One of this number of work requests fails. */
  private static final int EVERY = 150;
  private static final int MOST_LATE_MICROS = 300;
  private static final int OPERATIONS_OF_A_LIFE = 60;
  private static final int LARGEST = 100_000;
  private static final int REGION = 1 << 16;

  private final Map<String, Integer> ends = Collections.synchronizedMap(new TreeMap<>());
  private final AtomicInteger underWay = new AtomicInteger();
  private Random random;
  private int begun;

  @AfterEach
  void healthy() {
    Nic.built().failAtRandom(0, 0);
    Nic.built().delayCompletions(0, 0);
  }

  @Test
  @Timeout(120)
  void someOperations() throws Exception {
    run(3000, 4711);
  }

  @Test
  @Tag("long")
  @Timeout(3600)
  void manyOperations() throws Exception {
    run(100_000, (int) System.nanoTime());
  }

  private void run(int operations, int seed) throws Exception {
    System.out.println("seed " + seed + ", on " + over);
    random = new Random(seed);
    await(server.createRegion(new RegionOptions().setName("memory").setSize(REGION).addFabric(fabric())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
    await(server.createServer().connectHandler(connection -> connection.handler(connection::write)).listen("echo"));
    Context context = clientVertx.getOrCreateContext();
    while (begun < operations) {
      Nic.built().failAtRandom(random.nextInt(), EVERY);
      Nic.built().delayCompletions(random.nextInt(), random.nextBoolean() ? MOST_LATE_MICROS : 0);
      Future<RdmaConnection> connecting = told(client.connect("echo"));
      Future<RemoteRegion> opening = told(client.openRegion("memory"));
      allEnd();
      Promise<Void> issued = Promise.promise();
      context.runOnContext(v -> {
        for (int i = 0; i < OPERATIONS_OF_A_LIFE; i++) {
          if (connecting.succeeded()) {
            write(connecting.result());
          }
          if (opening.succeeded()) {
            access(opening.result());
          }
        }
        if (connecting.succeeded()) {
          told(random.nextBoolean() ? connecting.result().close() : connecting.result().shutdown(Duration.ofSeconds(random.nextInt(2))));
        }
        if (opening.succeeded()) {
          told(opening.result().close());
        }
        issued.complete();
      });
      await(issued.future());
      allEnd();
    }
    healthy();
    RdmaConnection connection = await(client.connect("echo"));
    await(connection.write(Buffer.buffer("well")));
    await(connection.close());
    System.out.println(over + ": " + begun + " operations, " + ends);
    stop();
    assertEquals(0, Nic.built().held());
  }

  private void write(RdmaConnection connection) {
    told(connection.write(Buffer.buffer(new byte[random.nextInt(8) == 0 ? random.nextInt(LARGEST) : random.nextInt(500)])));
  }

  private void access(RemoteRegion region) {
    long at = random.nextInt(REGION / 2) & -8L;
    switch (random.nextInt(4)) {
      case 0 -> told(region.read(at, 1 + random.nextInt(REGION / 2)));
      case 1 -> told(region.write(at, Buffer.buffer(new byte[1 + random.nextInt(1000)])));
      case 2 -> told(region.writeNotify(at, Buffer.buffer(new byte[8]), at));
      default -> told(region.fetchAndAdd(at, 1));
    }
  }

  private <T> Future<T> told(Future<T> future) {
    AtomicInteger times = new AtomicInteger();
    begun++;
    underWay.incrementAndGet();
    return future.onComplete(done -> {
      ends.merge(times.incrementAndGet() > 1 ? "unnamed: twice" : done.succeeded() ? "success" : nameOf(done.cause()), 1, Integer::sum);
      underWay.decrementAndGet();
    });
  }

  private static String nameOf(Throwable cause) {
    return cause instanceof RdmaException failure && failure.getMessage() != null ? failure.reason().name() : "unnamed: " + cause;
  }

  private void allEnd() {
    Await.until("all operations end; " + ends, () -> underWay.get() == 0);
    synchronized (ends) {
      assertTrue(ends.keySet().stream().noneMatch(end -> end.startsWith("unnamed")), ends::toString);
    }
  }
}
