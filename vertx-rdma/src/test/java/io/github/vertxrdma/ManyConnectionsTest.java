package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.support.ReachableHeap;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"tcp", "shm"}, all = {"rxm", "nio"})
class ManyConnectionsTest extends FabricPair {
  private static final int AT_ONCE = 100;
  private static final int PATIENCE_MILLIS = 100_000;
  private static final int HEAP = 3072;

  /** The number exceeds the receives of full size, or the contexts, of one queue. */
  @Test
  @Timeout(120)
  void hundredsAreOpened() throws Exception {
    open(600);
  }

  @Test
  @Tag("long")
  @Timeout(300)
  void aThousandAreOpened() throws Exception {
    long heap = open(1000);
    System.out.printf("1000 idle connections over %s: %d bytes of heap for each end%n", fabric(), heap);
    assertTrue(heap <= HEAP, heap + " bytes for each end");
  }

  private long open(int count) throws Exception {
    ConcurrentLinkedQueue<RdmaConnection> accepted = new ConcurrentLinkedQueue<>();
    await(server.createServer().connectHandler(c -> accepted.add(c.handler(c::write))).listen("many"));
    Context context = clientVertx.getOrCreateContext();
    closeAll(new Opening(client, context, AT_ONCE).open());
    accepted.clear();
    long before = ReachableHeap.bytes(folder);
    List<RdmaConnection> all = new Opening(client, context, count).open();
    until("all were accepted", () -> accepted.size() == count, PATIENCE_MILLIS);
    long heap = (ReachableHeap.bytes(folder) - before) / count / 2;
    askAll(all);
    closeAll(all);
    List<RdmaConnection> later = new Opening(client, context, count).open();
    askAll(later);
    assertEquals(count, later.size());
    return heap;
  }

  private static void askAll(List<RdmaConnection> connections) {
    AtomicInteger answers = new AtomicInteger();
    for (RdmaConnection connection : connections) {
      connection.handler(answer -> answers.incrementAndGet());
      connection.write(Buffer.buffer("hello"));
    }
    until("all answered", () -> answers.get() == connections.size(), PATIENCE_MILLIS);
  }

  private static void closeAll(List<RdmaConnection> connections) throws Exception {
    patiently(Future.all(connections.stream().map(RdmaConnection::close).toList()));
  }

  private static <T> T patiently(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get();
  }

  @Override
  RdmaOptions options() {
    // Statistics of 256 connections of a loop are not counted. On a slow machine the usual limits would end healthy peers.
    return super.options().setStatistics(false).setConnectTimeout(Duration.ofMillis(PATIENCE_MILLIS))
      .setCloseTimeout(Duration.ofMillis(PATIENCE_MILLIS)).setDeadTimeout(Duration.ofMillis(PATIENCE_MILLIS));
  }

  private static final class Opening {
    private final Rdma client;
    private final Context context;
    private final int count;
    private final List<RdmaConnection> open = new ArrayList<>();
    private final Promise<List<RdmaConnection>> all = Promise.promise();
    private int begun;

    Opening(Rdma client, Context context, int count) {
      this.client = client;
      this.context = context;
      this.count = count;
    }

    List<RdmaConnection> open() throws Exception {
      context.runOnContext(v -> {
        for (int i = 0; i < AT_ONCE; i++) {
          next();
        }
      });
      return patiently(all.future());
    }

    private void next() {
      if (begun == count || all.future().failed()) {
        return;
      }
      begun++;
      client.connect("many").onComplete(done -> {
        if (done.failed()) {
          all.tryFail(new AssertionError("after " + open.size() + " connections", done.cause()));
          return;
        }
        open.add(done.result());
        if (open.size() == count) {
          all.complete(open);
        } else {
          next();
        }
      });
    }
  }
}
