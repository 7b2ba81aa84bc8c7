package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.support.ReachableHeap;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node with 10,000 regions, and one with 10,000 services: another node finds and uses each, at a cost that does not grow with their
 * number.
 */
@Tag("alone")
@Tag("long")
@Timeout(1200)
class ManyNamesTest extends FabricPair {
  private static final int ALL = Integer.getInteger("names", 10_000);
  private static final int AT_ONCE = 64;
  private static final int USED = 100;
  private static final long SEEN_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final int MOST_BYTES = 4096;
  /** Bytes of the heap that each name may leave: tables that have grown to their size. */
  private static final int MOST_LEFT = 200;
  /** Bytes that all names together may leave: remembered revoked keys, and compiled code. */
  private static final int ALL_LEFT = 4 << 20;
  /** Factor by which the last tenth of the names may be slower than the first, on a busy machine. */
  private static final int SLOWER = 8;

  @Override
  String fabric() {
    return "nio";
  }

  @Test
  void regions() throws Exception {
    RdmaDirectory other = await(client.directory());
    await(server.createRegion(new RegionOptions().setName("first").setSize(64)).compose(MemoryRegion::close));
    long before = ReachableHeap.bytes(folder);
    List<MemoryRegion> made = make("regions", i -> server.createRegion(new RegionOptions().setName("region " + i).setSize(64)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    awaitAll(() -> other.regions().size());
    for (int i = 0; i < ALL; i += ALL / USED) {
      RemoteRegion opened = await(client.openRegion("region " + i));
      await(opened.write(0, Buffer.buffer().appendIntLE(i)));
      assertEquals(i, await(opened.read(0, 4)).getIntLE(0));
      await(opened.close());
    }
    make("closed regions", i -> made.get(i).close());
    made.clear();
    until("the other node has forgotten them", () -> other.regions().isEmpty());
    long left = ReachableHeap.bytes(folder) - before;
    System.out.printf("left by regions: %d bytes of heap%n", left);
    assertTrue(left <= ALL_LEFT + (long) MOST_LEFT * ALL, left + " bytes are left");
  }

  @Test
  void services() throws Exception {
    RdmaDirectory other = await(client.directory());
    List<RdmaServer> made = make("services", i -> server.createServer()
      .connectHandler(connection -> connection.handler(asked -> connection.write(Buffer.buffer("service " + i)))).listen("service " + i));
    awaitAll(() -> (int) other.services().stream().filter(each -> each.name().startsWith("service ")).count());
    for (int i = 0; i < ALL; i += ALL / USED) {
      String name = "service " + i;
      Promise<Buffer> answer = Promise.promise();
      clientVertx.runOnContext(v -> client.connect(name).onFailure(answer::fail).onSuccess(connection -> {
        connection.handler(said -> connection.close().map(said).onComplete(answer));
        connection.write(Buffer.buffer("who"));
      }));
      assertEquals(name, await(answer.future()).toString());
    }
    make("closed services", i -> made.get(i).close());
  }

  private interface Count {
    int now();
  }

  private static void awaitAll(Count count) {
    for (long end = System.nanoTime() + SEEN_NANOS; count.now() < ALL; LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100))) {
      assertTrue(System.nanoTime() < end, () -> "the other node knows " + count.now());
    }
  }

  private <T> List<T> make(String what, IntFunction<Future<T>> one) throws Exception {
    long heap = ReachableHeap.bytes(folder);
    List<Long> nanos = new ArrayList<>();
    List<T> made = new ArrayList<>();
    Context context = serverVertx.getOrCreateContext();
    for (int tenth = 0; tenth < 10; tenth++) {
      long began = System.nanoTime();
      for (int from = tenth * ALL / 10; from < (tenth + 1) * ALL / 10; from += AT_ONCE) {
        int first = from;
        int last = Math.min(from + AT_ONCE, (tenth + 1) * ALL / 10);
        Promise<List<T>> some = Promise.promise();
        context.runOnContext(v -> {
          List<Future<T>> each = new ArrayList<>();
          for (int i = first; i < last; i++) {
            each.add(one.apply(i));
          }
          Future.all(each).map(all -> all.<T>list()).onComplete(some);
        });
        made.addAll(await(some.future()));
      }
      nanos.add((System.nanoTime() - began) / Math.max(1, ALL / 10));
    }
    long each = (ReachableHeap.bytes(folder) - heap) / ALL;
    System.out.printf("%s: %d, %d bytes of heap each; ns each, by tenths: %s%n", what, ALL, each, nanos);
    assertTrue(each <= MOST_BYTES, each + " bytes each");
    assertTrue(nanos.getLast() < SLOWER * nanos.getFirst(), "each takes longer the more there are: " + nanos);
    return made;
  }
}
