package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.junit5.RdmaExtension;
import io.github.vertxrdma.junit5.RdmaTestFabric;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs the recipes of docs/cookbook.adoc. */
@Timeout(60)
@ExtendWith(RdmaExtension.class)
class CookbookTest {
  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @Test
  void chatSendsMessageToAllMembers(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(Chat.serve(fabric.node("server")));
    Promise<Void> joined = Promise.promise();
    Promise<String> answer = Promise.promise();
    RdmaConnection member = await(rdma.connect("chat"));
    member.handler(text -> joined.tryComplete());
    RdmaConnection other = await(fabric.node("other").connect("chat"));
    other.handler(text -> {
      if (text.toString().equals("hello")) {
        answer.tryComplete("hello");
      }
    });
    await(other.write(Buffer.buffer("I am here")));
    await(joined.future());
    await(member.write(Buffer.buffer("hello")));
    assertEquals("hello", await(answer.future()));
  }

  @Test
  void streamStopsWhenItsReaderCloses(Vertx vertx, Rdma rdma, RdmaTestFabric fabric) throws Exception {
    AtomicInteger quotes = new AtomicInteger();
    await(Cookbook.quotes(fabric.node("server"), () -> Buffer.buffer("quote " + quotes.incrementAndGet())));
    Promise<String> first = Promise.promise();
    RdmaConnection reader = await(rdma.connect("quotes"));
    reader.handler(quote -> first.tryComplete(quote.toString()));
    assertEquals("quote 1", await(first.future()));
    await(reader.close());
    Promise<Void> stopped = Promise.promise();
    int[] last = {-1};
    vertx.setPeriodic(500, id -> {
      if (last[0] == quotes.get()) {
        stopped.tryComplete();
      }
      last[0] = quotes.get();
    });
    await(stopped.future());
  }

  @Test
  void cacheAsksItsOwnerOncePerKey(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    AtomicInteger computed = new AtomicInteger();
    await(Cookbook.cacheOwner(fabric.node("owner"), key -> key + " " + computed.incrementAndGet()));
    RemoteRegion cache = await(rdma.openRegion("cache"));
    RdmaConnection owner = await(rdma.connect("cache"));
    for (int i = 0; i < 3; i++) {
      assertEquals("apples 1", await(Cookbook.get(cache, owner, "apples")));
    }
    String tooLong = "x".repeat(300);
    assertEquals(tooLong + " 2", await(Cookbook.get(cache, owner, tooLong)));
    assertEquals(tooLong + " 3", await(Cookbook.get(cache, owner, tooLong)));
  }

  @Test
  void tableHasItsContentAfterRestartOfItsOwner(Rdma rdma, RdmaTestFabric fabric, @TempDir Path folder) throws Exception {
    String file = folder.resolve("table").toString();
    MemoryRegion table = await(Cookbook.table(fabric.node("first"), file));
    table.putRecord(0, Buffer.buffer("apples 3.50"));
    await(Cookbook.save(fabric.vertx("first"), table, file));
    Promise<RemoteRegion> again = Promise.promise();
    RemoteRegion opened = await(rdma.openRegion("table", new RegionOpenOptions().setReconnectAttempts(-1)));
    assertEquals("apples 3.50", await(opened.readRecord(0, 64)).toString());
    opened.reconnectHandler(again::complete);
    RdmaDirectory directory = await(rdma.directory());
    fabric.kill("first");
    while (directory.region("table").isPresent()) {
      Thread.sleep(1);
    }
    await(Cookbook.table(fabric.node("second"), file));
    assertEquals("apples 3.50", await(again.future().compose(region -> region.readRecord(0, 64))).toString());
  }

  @Test
  void poolLeasesAnotherWorkerWhenItsServerIsKilled(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(Cookbook.workers(fabric.node("first")));
    FunctionClient pool = await(Cookbook.pool(rdma));
    assertEquals("ONE", await(Cookbook.shout(pool, "one")).toString());
    fabric.kill("first");
    await(Cookbook.workers(fabric.node("second")));
    assertEquals("TWO", await(Cookbook.shout(pool, "two")).toString());
    await(pool.close());
  }
}
