package io.github.vertxrdma.suites;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.test.fakecluster.FakeClusterManager;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Runs on each supported Vert.x; the library is compiled for the oldest. */
public class SmokeTest {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.always("tcp");

  private Vertx one;
  private Vertx other;

  @Before
  public void start() throws Exception {
    one = newVertx();
    other = newVertx();
  }

  Vertx newVertx() throws Exception {
    return await(Vertx.builder().withClusterManager(new FakeClusterManager()).buildClustered());
  }

  @After
  public void stop() throws Exception {
    await(one.close());
    await(other.close());
    FakeClusterManager.reset();
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test(timeout = 90_000)
  public void vertxHasTheExpectedVersion() throws Exception {
    try (InputStream in = Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt")) {
      assertEquals(System.getProperty("vertx.rdma.test.vertx"), new String(in.readAllBytes(), StandardCharsets.UTF_8).strip());
    }
    requestsAreAnswered();
  }

  @Test(timeout = 90_000)
  public void requestsAreAnswered() throws Exception {
    await(other.eventBus().<Buffer>consumer("echo", m -> m.reply(m.body(), new DeliveryOptions().addHeader("to", m.headers().get("from"))))
      .completion());
    for (int size : new int[] {0, 1, 1000, 300_000}) {
      Buffer body = Buffer.buffer(new byte[size]);
      var answer = await(one.eventBus().<Buffer>request("echo", body, new DeliveryOptions().addHeader("from", "one")));
      assertEquals(body, answer.body());
      assertEquals(size + 1, answer.body().appendBuffer(Buffer.buffer("+")).length());
      assertEquals("one", answer.headers().get("to"));
    }
  }

  @Test(timeout = 90_000)
  public void vertxClosesThoughAnotherStaysConnected() throws Exception {
    List<String> logged = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("io.github.vertxrdma.impl.poll.ClosingEventLoops");
    logger.setFilter(entry -> logged.add(entry.getMessage()));
    Vertx closing = newVertx();
    await(closing.eventBus().<String>consumer("closing", m -> m.reply(m.body())).completion());
    assertEquals("here", await(one.eventBus().request("closing", "here")).body());
    await(closing.close());
    logger.setFilter(null);
    assertEquals(List.of(), logged);
  }

  @Test(timeout = 90_000)
  public void failuresAndPublishedMessagesArrive() throws Exception {
    await(other.eventBus().consumer("fail", m -> m.fail(7, "no")).completion());
    try {
      await(one.eventBus().request("fail", "please"));
    } catch (ExecutionException e) {
      assertTrue(e.getCause() instanceof ReplyException reply && reply.failureCode() == 7 && reply.getMessage().equals("no"));
    }
    Promise<String> here = Promise.promise();
    Promise<String> there = Promise.promise();
    await(one.eventBus().<String>consumer("news", m -> here.complete(m.body())).completion());
    await(other.eventBus().<String>consumer("news", m -> there.complete(m.body())).completion());
    one.eventBus().publish("news", "both");
    assertEquals("both", await(here.future()));
    assertEquals("both", await(there.future()));
  }
}
