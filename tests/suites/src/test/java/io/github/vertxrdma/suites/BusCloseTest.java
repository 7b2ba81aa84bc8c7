package io.github.vertxrdma.suites;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageProducer;
import io.vertx.test.fakecluster.FakeClusterManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TestRule;

public class BusCloseTest {
  @ClassRule
  public static final TestRule FABRIC = OverFabric.always("shm");

  private static final int MESSAGES = 50;

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Handler log = new Handler() {
    @Override
    public void publish(LogRecord line) {
      // A busy machine delays a loop for the 2 s after which Vert.x logs a warning.
      if (line.getLevel().intValue() >= Level.WARNING.intValue() && !("" + line.getLoggerName()).endsWith(".BlockedThreadChecker")) {
        warnings.add(line.getMessage());
      }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
  };
  private Vertx closing;
  private Vertx other;

  @Before
  public void start() throws Exception {
    closing = await(Vertx.builder().withClusterManager(new FakeClusterManager()).buildClustered());
    other = await(Vertx.builder().withClusterManager(new FakeClusterManager()).buildClustered());
    Logger.getLogger("io.github.vertxrdma.impl").addHandler(log);
  }

  @After
  public void stop() throws Exception {
    await(closing.close());
    await(other.close());
    FakeClusterManager.reset();
    Logger.getLogger("io.github.vertxrdma.impl").removeHandler(log);
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue("waited in vain until " + what, System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20));
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void untilAllArrived(AtomicInteger count) {
    until("all messages have arrived", () -> count.get() >= MESSAGES);
    assertEquals(MESSAGES, count.get());
  }

  /** Counts messages with a body; empty ones connect the bus. */
  private AtomicInteger counted() throws Exception {
    AtomicInteger count = new AtomicInteger();
    AtomicInteger empty = new AtomicInteger();
    await(
      other.eventBus().<Buffer>consumer("news", message -> (message.body().length() > 0 ? count : empty).incrementAndGet()).completion());
    until("the bus is connected", () -> {
      closing.eventBus().publish("news", Buffer.buffer());
      LockSupport.parkNanos(10_000_000);
      return empty.get() > 0;
    });
    return count;
  }

  @Test(timeout = 90_000)
  public void writesOfProducerBeforeCloseCompleteAndArrive() throws Exception {
    AtomicInteger count = counted();
    MessageProducer<Buffer> producer = closing.eventBus().publisher("news");
    List<Future<Void>> writes = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      writes.add(producer.write(Buffer.buffer(new byte[200_000])));
    }
    Future<?> written = Future.all(writes);
    await(closing.close());
    assertTrue(written.succeeded());
    untilAllArrived(count);
    assertEquals(List.of(), warnings);
  }

  @Test(timeout = 90_000)
  public void messagesPublishedInStopArrive() throws Exception {
    AtomicInteger count = counted();
    await(closing.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> stop() {
        for (int i = 0; i < MESSAGES; i++) {
          vertx.eventBus().publish("news", Buffer.buffer(new byte[20_000]));
        }
        return Future.succeededFuture();
      }
    }));
    await(closing.close());
    untilAllArrived(count);
    assertEquals(List.of(), warnings);
  }

  @Test(timeout = 90_000)
  public void requestsInProgressFinishWhileVerticleStops() throws Exception {
    Promise<Message<String>> asked = Promise.promise();
    await(closing.eventBus().<String>consumer("slow", asked::complete).completion());
    await(other.eventBus().<String>consumer("quick", message -> message.reply("quick answer")).completion());
    Promise<String> answer = Promise.promise();
    await(closing.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> stop() {
        return vertx.eventBus().<String>request("quick", "in stop").map(Message::body).onComplete(answer)
          .onSuccess(body -> asked.future().result().reply("slow answer")).compose(body -> vertx.timer(100));
      }
    }));
    Future<Message<String>> slow = other.eventBus().request("slow", "before close");
    await(asked.future());
    await(closing.close());
    assertEquals("quick answer", await(answer.future()));
    assertEquals("slow answer", await(slow).body());
    assertEquals(List.of(), warnings);
  }

  @Test(timeout = 90_000)
  public void entriesAreGoneAndControlConnectionsEndedWhenBusIsClosed() throws Exception {
    counted();
    RdmaDirectory directory = await(Rdma.create(other, TransportOptions.ofNodes(other)).directory());
    until("both nodes are there", () -> directory.nodes().size() == 2);
    await(closing.close());
    until("the node is gone", () -> directory.nodes().size() == 1);
    assertEquals(List.of(), warnings);
  }
}
