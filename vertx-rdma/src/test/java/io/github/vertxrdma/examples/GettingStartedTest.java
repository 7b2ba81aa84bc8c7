package io.github.vertxrdma.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The code of the docs runs. */
@Timeout(120)
class GettingStartedTest {
  @TempDir
  Path folder;
  private RdmaOptions options;
  private Vertx server;
  private Vertx client;

  @BeforeEach
  void start() {
    // Both ends are in one process here, which the best fabric of a host need not allow.
    options = new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString()));
    server = Vertx.vertx();
    client = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void theEchoAnswers() throws Exception {
    await(Echo.serve(Rdma.create(server, options)));
    assertEquals("you said hello, over nio (nio, MSG endpoint)", await(Echo.ask(Rdma.create(client, options))));
  }

  @Test
  void aVisitorWritesToTheTable() throws Exception {
    assertEquals(1 << 20, await(Table.share(Rdma.create(server, options))).size());
    assertEquals("reads a row", await(Table.visit(Rdma.create(client, options))));
  }

  @Test
  void theServerDecidesAndEchoes() throws Exception {
    Rdma here = Rdma.create(client, options);
    await(ConnectionExamples.serve(Rdma.create(server, options)));
    RdmaException refused = assertThrows(RdmaException.class, () -> awaitFailure(here.connect("orders")));
    assertEquals(RdmaException.Reason.REJECTED, refused.reason(), refused.getMessage());
    RdmaConnection connection = await(ConnectionExamples.connect(here));
    assertEquals("welcome", connection.privateData().toString());
    Path file = Files.writeString(folder.resolve("file"), "an order");
    Promise<String> answer = Promise.promise();
    connection.handler(message -> answer.complete(message.toString()));
    await(client.fileSystem().open(file.toString(), new OpenOptions()).compose(opened -> ConnectionExamples.send(opened, connection)));
    assertEquals("an order", await(answer.future()));
  }

  @Test
  void aVerticleIsConfigured() throws Exception {
    await(server.deployVerticle(new ApplicationExamples.Orders(), ApplicationExamples.orders(options)));
    assertEquals("orders",
      await(await(Rdma.create(client, options).directory()).awaitServices("orders", Duration.ofSeconds(20))).getFirst().name());
    assertThrows(IllegalArgumentException.class, () -> awaitFailure(server.deployVerticle(new ApplicationExamples.Orders(),
      new DeploymentOptions().setConfig(new JsonObject().put("rdma", new JsonObject().put("fabrik", "nio"))))));
  }

  @Test
  void aPublishedRecordIsReadAndCopied() throws Exception {
    Rdma here = Rdma.create(client, options);
    await(Prices.share(Rdma.create(server, options)));
    assertEquals("apples 3.50", await(Prices.read(here)).toString());
    RemoteRegion prices = await(here.openRegion("prices"));
    assertEquals(4096, await(RegionExamples.copy(here, prices)).size());
  }

  @Test
  void memoryIsGrantedOnAConnection() throws Exception {
    Rdma owner = Rdma.create(server, options);
    Promise<RegionGrant> granted = Promise.promise();
    await(owner.createServer().connectHandler(connection -> RegionExamples.grant(owner, connection).onComplete(granted)).listen("owner"));
    RdmaConnection connection = await(Rdma.create(client, options).connect("owner"));
    Promise<Void> filled = Promise.promise();
    connection.grantHandler(room -> room.write(0, Buffer.buffer("data")).onComplete(filled));
    await(granted.future());
    await(filled.future());
  }

  @Test
  void theDirectoryIsWatched() throws Exception {
    await(DirectoryExamples.watch(Rdma.create(server, options))).close();
    assertEquals("10.0.0.1:4710", DirectoryExamples.knowing().getDirectory().getPeers().getFirst());
  }

  private static void awaitFailure(Future<?> future) throws Throwable {
    try {
      await(future);
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }
}
