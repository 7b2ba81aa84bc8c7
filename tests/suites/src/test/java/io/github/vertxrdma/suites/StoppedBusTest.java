package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node is stopped for longer than earlier versions of the fabric permitted. */
@Timeout(240)
class StoppedBusTest {
  private static final long STOPPED_NANOS = TimeUnit.SECONDS.toNanos(12);
  private static final int PERIOD_MILLIS = 10;

  /** Prints messages that are out of order. */
  static final class Node {
    public static void main(String[] args) throws Exception {
      Vertx vertx = clustered(Integer.parseInt(args[0]));
      AtomicInteger heard = new AtomicInteger();
      await(vertx.eventBus().<Integer>consumer("numbers", number -> {
        int due = heard.getAndIncrement();
        if (number.body() != due) {
          System.out.println("disorder " + number.body() + " where " + due + " was due");
        }
      }).completion());
      await(vertx.eventBus().consumer("heard", asked -> asked.reply(heard.get())).completion());
      System.out.println("ready");
      System.in.read();
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  @Tag("full")
  void nothingIsLostWhileNodeIsStopped() throws Exception {
    int port = MixedClusterTest.freePorts();
    long before = TransportCounters.PROCESS.channels();
    Vertx vertx = clustered(port);
    try (ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port))) {
      child.await("ready");
      AtomicInteger next = new AtomicInteger();
      List<Future<Message<Object>>> answers = new ArrayList<>();
      // The first messages wait until the way to the node is known.
      await(vertx.eventBus().request("heard", ""));
      long timer = vertx.setPeriodic(PERIOD_MILLIS, id -> {
        vertx.eventBus().publish("numbers", next.getAndIncrement());
        answers.add(vertx.eventBus().request("heard", ""));
      });
      until("they talk", () -> next.get() > 100);
      // On a busy machine a connection may use TCP at first.
      until("the bus is over a fabric both ways", () -> TransportCounters.PROCESS.channels() >= before + 2);
      long channels = TransportCounters.PROCESS.channels();
      child.signal("STOP");
      long start = System.nanoTime();
      while (System.nanoTime() - start < STOPPED_NANOS) {
        Thread.sleep(100);
      }
      child.signal("CONT");
      int stopped = next.get();
      until("they go on", () -> next.get() > stopped + 100);
      vertx.cancelTimer(timer);
      until("all are published", () -> {
        try {
          return (int) await(vertx.eventBus().request("heard", "")).body() == next.get();
        } catch (Exception e) {
          return false;
        }
      });
      assertFalse(child.hasSaid("disorder"));
      for (Future<Message<Object>> answer : answers) {
        await(answer);
      }
      assertEquals(channels, TransportCounters.PROCESS.channels(), "connections were made");
    } finally {
      await(vertx.close());
    }
  }

  private static Vertx clustered(int port) throws Exception {
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    return await(Vertx.builder().with(options)
      .withClusterManager(new HazelcastClusterManager(MixedClusterTest.config("stopped", port))).buildClustered());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
  }

  private static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60), () -> "waited in vain until " + what);
      Thread.sleep(10);
    }
  }
}
