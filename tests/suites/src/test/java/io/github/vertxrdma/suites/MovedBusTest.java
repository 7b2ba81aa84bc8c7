package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;
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
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
@Tag("full")
class MovedBusTest {
  private static final int PERIOD_MILLIS = 5;

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

  /** A node that prints messages which arrive out of order, and answers how many have arrived. */
  static final class Node {
    public static void main(String[] args) throws Exception {
      Vertx vertx = TestCluster.member(Integer.parseInt(args[0]), new VertxOptions());
      AtomicInteger received = new AtomicInteger();
      await(vertx.eventBus().<Integer>consumer("numbers", message -> {
        int due = received.getAndIncrement();
        if (message.body() != due) {
          System.out.println("disorder: " + message.body() + " where " + due + " was due");
        }
      }).completion());
      await(vertx.eventBus().consumer("received", asked -> asked.reply(received.get())).completion());
      System.out.println("ready");
      System.in.read();
      Runtime.getRuntime().halt(0);
    }
  }

  /** The bus listens on TCP alone after 30 s, and its first connection waits 10 s. */
  @Test
  void busMovesToFabricWhenItsNodeStartsLate() throws Exception {
    int port = TestCluster.freePorts();
    System.setProperty(CONFIG, Files.writeString(folder.resolve("late.json"), LATE.encode()).toString());
    Vertx vertx = null;
    try (LogLines binds = new LogLines("io.github.vertxrdma.impl.transport.FabricServer");
      LogLines log = new LogLines(Ways.class);
      ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port))) {
      child.await("ready");
      vertx = TestCluster.member(port, new VertxOptions());
      EventBus bus = vertx.eventBus();
      AtomicInteger next = new AtomicInteger();
      List<Future<?>> results = new ArrayList<>();
      long timer = vertx.setPeriodic(PERIOD_MILLIS, id -> {
        results.add(bus.sender("numbers").write(next.getAndIncrement()));
        results.add(bus.request("received", ""));
      });
      until("the bus uses TCP", () -> TransportCounters.PROCESS.toString().contains("not-started 1"));
      LateDirectory.DUE.complete();
      until("the bus uses the fabric", () -> log.lines().stream().anyMatch(line -> line.contains(" go over ")));
      int moved = next.get();
      until("they go on", () -> next.get() > moved + 200);
      vertx.cancelTimer(timer);
      until("all have arrived", () -> {
        try {
          return (int) await(bus.request("received", "")).body() == next.get();
        } catch (Exception e) {
          return false;
        }
      });
      assertFalse(child.hasPrinted("disorder"));
      for (Future<?> result : results) {
        await(result);
      }
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

  private static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(90), () -> "waited in vain until " + what);
      Thread.sleep(10);
    }
  }
}
