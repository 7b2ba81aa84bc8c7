package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.MixedClusterTest.Node.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class MovedBusTest {
  private static final int PERIOD_MILLIS = 5;
  private static final int BODY = 3_000;

  private static final String CONFIG = "vertx.rdma.config";
  private static final JsonObject LATE = new JsonObject().put("directory", new JsonObject().put("type", LateDirectory.TYPE));

  @TempDir
  Path folder;

  public static final class LateDirectory implements DirectoryBackendFactory {
    static final String TYPE = "late";
    static final Promise<Void> DUE = Promise.promise();

    @Override
    public String type() {
      return TYPE;
    }

    @Override
    public Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
      return DUE.future().compose(v -> DirectoryBackend.open(vertx, new DirectoryOptions(options).setType(DirectoryOptions.AUTO)));
    }
  }

  /** A node whose event loop is blocked until the first line of input. */
  static final class Node {
    public static void main(String[] args) throws Exception {
      Vertx vertx = clustered(Integer.parseInt(args[0]));
      AtomicInteger heard = new AtomicInteger();
      await(vertx.eventBus().<Buffer>consumer("numbers", message -> {
        int due = heard.getAndIncrement();
        if (!message.body().equals(message(due))) {
          System.out.println("disorder: " + message.body().getInt(0) + " where " + due + " was due");
        }
      }).completion());
      await(vertx.eventBus().consumer("heard", asked -> asked.reply(heard.get())).completion());
      CountDownLatch line = new CountDownLatch(1);
      vertx.runOnContext(v -> {
        System.out.println("ready");
        assertDoesNotThrow(() -> line.await());
      });
      while (System.in.read() >= 0) {
        line.countDown();
      }
      Runtime.getRuntime().halt(0);
    }
  }

  private static Buffer message(int number) {
    Buffer message = Buffer.buffer().appendInt(number);
    for (int i = 0; i < BODY; i++) {
      message.appendByte((byte) (number + i));
    }
    return message;
  }

  @Test
  @Tag("full")
  void orderAndContentAreKeptWhileBusMovesToFabric() throws Exception {
    int port = MixedClusterTest.freePorts();
    Vertx vertx = clustered(port);
    try (LogLines log = new LogLines(Ways.class); ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port))) {
      child.await("ready");
      move(vertx, child, log, () -> log.lines().stream().anyMatch(line -> line.contains(" use TCP: ")), () -> child.tell(""));
      assertEquals(2, log.lines().size(), log.lines()::toString);
    } finally {
      await(vertx.close());
    }
  }

  /** The bus listens on TCP alone after 30 s, and its first connection waits 10 s. */
  @Test
  @Tag("full")
  void busMovesToFabricWhenItsNodeStartsLate() throws Exception {
    int port = MixedClusterTest.freePorts();
    System.setProperty(CONFIG, Files.writeString(folder.resolve("late.json"), LATE.encode()).toString());
    Vertx vertx = null;
    try (LogLines binds = new LogLines("io.github.vertxrdma.impl.transport.FabricServer");
      LogLines log = new LogLines(Ways.class);
      ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port))) {
      child.await("ready");
      child.tell("");
      vertx = clustered(port);
      move(vertx, child, log, () -> TransportCounters.PROCESS.toString().contains("not-started 1"), () -> LateDirectory.DUE.complete());
      assertEquals(1, log.lines().size(), log.lines()::toString);
      assertTrue(binds.lines().getFirst().matches(
        "The bind of the server on \\S+ has waited for the fabric to listen for 5000 ms, and continues to wait"), binds.lines()::toString);
      assertEquals(1, binds.warnings().size(), binds.warnings()::toString);
    } finally {
      System.clearProperty(CONFIG);
      LateDirectory.DUE.tryComplete();
      if (vertx != null) {
        await(vertx.close());
      }
    }
  }

  private static void move(Vertx vertx, ChildJvm child, LogLines log, BooleanSupplier byTcp, Executable begin) throws Exception {
    AtomicInteger next = new AtomicInteger();
    List<Future<Void>> writes = new ArrayList<>();
    List<Future<Message<Object>>> answers = new ArrayList<>();
    long timer = vertx.setPeriodic(PERIOD_MILLIS, id -> {
      writes.add(vertx.eventBus().sender("numbers").write(message(next.getAndIncrement())));
      answers.add(vertx.eventBus().request("heard", ""));
    });
    until("the bus uses TCP", byTcp);
    assertDoesNotThrow(begin);
    until("the bus uses the fabric", () -> log.lines().stream().anyMatch(line -> line.contains(" go over ")));
    int moved = next.get();
    until("they go on", () -> next.get() > moved + 200);
    vertx.cancelTimer(timer);
    until("all have arrived", () -> {
      try {
        return (int) await(vertx.eventBus().request("heard", "")).body() == next.get();
      } catch (Exception e) {
        return false;
      }
    });
    assertFalse(child.hasSaid("disorder"));
    for (Future<?> each : writes) {
      await(each);
    }
    for (Future<?> each : answers) {
      await(each);
    }
  }

  private static Vertx clustered(int port) throws Exception {
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(1);
    options.getEventBusOptions().setHost("127.0.0.1");
    return await(Vertx.builder().with(options)
      .withClusterManager(new HazelcastClusterManager(MixedClusterTest.config("moved", port))).buildClustered());
  }

  private static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(90), () -> "waited in vain until " + what);
      Thread.sleep(10);
    }
  }
}
