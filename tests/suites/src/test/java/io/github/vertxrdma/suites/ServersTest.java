package io.github.vertxrdma.suites;

import static org.junit.Assert.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Vert.x 5.2 adds the event loop of a server on another thread than the one that binds it. */
public class ServersTest {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.always("shm");

  private static final int SERVERS = 40;

  private Vertx server;
  private Vertx client;

  @Before
  public void start() {
    System.setProperty("vertx.rdma.streams", "all");
    server = Vertx.vertx();
    client = Vertx.vertx();
  }

  @After
  public void stop() throws Exception {
    System.clearProperty("vertx.rdma.streams");
    await(server.close());
    await(client.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test(timeout = 90_000)
  public void allHttpServersTakeForcedFabric() throws Exception {
    RdmaDirectory directory = await(Rdma.create(client, TransportOptions.ofNodes(client)).directory());
    HttpClient http = client.createHttpClient();
    for (int i = 0; i < SERVERS; i++) {
      String answer = "answer " + i;
      int port = await(server.createHttpServer().requestHandler(request -> request.response().end(answer)).listen(0, "127.0.0.1"))
        .actualPort();
      await(directory.awaitServices("tcp/127.0.0.1:" + port, Duration.ofSeconds(20)));
      assertEquals(answer, await(http.request(HttpMethod.GET, port, "127.0.0.1", "/")
        .compose(request -> request.send().compose(HttpClientResponse::body))).toString());
    }
    assertEquals("both ends of each connection", 2 * SERVERS, TransportCounters.PROCESS.channels());
  }
}
