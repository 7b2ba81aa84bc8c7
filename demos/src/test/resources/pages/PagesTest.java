package pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.junit5.RdmaExtension;
import io.github.vertxrdma.junit5.RdmaTestFabric;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.json.JsonObject;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Calls, in the project that contains them, the examples of the pages that no test of their module calls. */
@Timeout(60)
@ExtendWith(RdmaExtension.class)
class PagesTest {
  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @Test
  void aRequestHasItsReply(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(ConnectionsPage.prices(fabric.node("shop"), article -> Future.succeededFuture(Buffer.buffer(article + " 3.50"))));
    assertEquals("apples 3.50", await(rdma.connect("prices").compose(shop -> ConnectionsPage.price(shop, "apples"))).toString());
  }

  @Test
  void pricesContinueFromAnotherInstance(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(quoting(fabric.node("one"), "1"));
    Promise<Void> first = Promise.promise();
    Promise<Void> second = Promise.promise();
    await(ConnectionsPage.follow(rdma, price -> (price.toString().equals("1") ? first : second).tryComplete()));
    await(first.future());
    await(quoting(fabric.node("two"), "2"));
    fabric.kill("one");
    await(second.future());
  }

  private static Future<?> quoting(Rdma rdma, String price) {
    return rdma.createServer().connectHandler(connection -> connection.handler(asked -> connection.write(Buffer.buffer(price))))
      .listen("prices");
  }

  @Test
  void onlyWritersOpenForWriting() {
    var authorizer = ConnectionsPage.readers(Set.of("a")).getAuthorizer();
    assertTrue(authorizer.mayOpen("b", "table", RegionAccess.READ) && authorizer.mayOpen("a", "table", RegionAccess.WRITE)
      && !authorizer.mayOpen("b", "table", RegionAccess.WRITE));
  }

  @Test
  void messagesLeaveAndReachTheMemoryOfTheFabric(Vertx vertx, Rdma rdma, RdmaTestFabric fabric, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("stored");
    int rows = 100_000;
    Promise<Void> ended = Promise.promise();
    await(fabric.node("store").createServer().connectHandler(connection -> {
      connection.pause();
      vertx.fileSystem().open(file.toString(), new OpenOptions()).onSuccess(opened -> {
        ConnectionsPage.store(connection, opened);
        connection.endHandler(end -> opened.flush().onComplete(ended)).resume();
      });
    }).listen("store"));
    await(rdma.connect("store").compose(connection -> ConnectionsPage.table(connection, rows).compose(sent -> connection.end())));
    await(ended.future());
    Buffer stored = Buffer.buffer(Files.readAllBytes(file));
    assertEquals((long) rows * Long.BYTES, stored.length());
    assertEquals(rows - 1, stored.getLong(stored.length() - Long.BYTES));
  }

  @Test
  void aServiceIsOfferedJoinedAndAsked() throws Exception {
    // These verticles use the process's options if their configuration has none.
    Vertx serving = Vertx.vertx();
    Vertx joining = Vertx.vertx();
    await(EventBusPage.serve(serving));
    await(EventBusPage.join(joining));
    assertEquals("ordered", await(joining.eventBus().<String>request("orders", new JsonObject().put("amount", 3))).body());
    assertEquals("ordered", await(EventBusPage.order(Rdma.create(joining))));
    await(joining.close());
    await(serving.close());
  }

  @Test
  void regionsAreReadCopiedAndGranted(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    Rdma owner = fabric.node("owner");
    await(owner.createRegion(new RegionOptions().setName("prices").setSize(4096).setAccess(RegionAccess.READ)));
    assertEquals(4096, await(rdma.openRegion("prices").compose(prices -> RemoteMemoryPage.copy(rdma, prices))).size());
    Promise<Void> granted = Promise.promise();
    await(owner.createServer().connectHandler(connection -> RemoteMemoryPage.grant(owner, connection).<Void>mapEmpty().onComplete(granted))
      .listen("owner"));
    await(rdma.connect("owner").onSuccess(connection -> RemoteMemoryPage.fill(connection, Buffer.buffer("data"))));
    await(granted.future());
  }

  @Test
  void aRegionIsSeenInPlaceOverSharedMemory() throws Exception {
    Vertx owner = Vertx.vertx();
    Vertx user = Vertx.vertx();
    RdmaOptions shm = new RdmaOptions().setFabric("shm");
    await(Rdma.create(owner, shm).createRegion(new RegionOptions().setName("samples").setSize(64).setAccess(RegionAccess.READ))
      .onSuccess(samples -> samples.segment().asByteBuffer().order(ByteOrder.nativeOrder()).putLong(8, 12).putLong(16, 30)));
    assertEquals(42L, await(Rdma.create(user, shm).openRegion("samples").compose(RemoteMemoryPage::sum)));
    await(user.close());
    await(owner.close());
  }

  @Test
  void functionsAreCalled(Vertx vertx, Rdma rdma, RdmaTestFabric fabric) throws Exception {
    FunctionServer server = await(FunctionsPage.offer(fabric.node("server")));
    assertEquals(8, await(FunctionsPage.call(rdma, Buffer.buffer("a file"))).length());
    FunctionClient client = FunctionClient.create(rdma);
    assertEquals(3, await(FunctionsPage.count(server, client)).words());
    await(client.close());
    await(server.close());
  }

  @Test
  void metersAreInTheRegistry() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Rdma rdma = ObservingPage.measured(registry);
    await(rdma.statistics());
    assertTrue(await(ObservingPage.health(rdma.vertx(), rdma).checkStatus()).getUp());
    await(rdma.close());
  }
}
