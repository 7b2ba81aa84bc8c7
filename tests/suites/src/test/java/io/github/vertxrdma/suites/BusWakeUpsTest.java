package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A request and its reply wake four loops once each: the bus's two, the consumer's, and the caller's. */
@EnabledOnOs(OS.LINUX)
@Tag("alone")
@Timeout(120)
class BusWakeUpsTest {
  private static final String POLL = "vertx.rdma.poll";
  private static final String FABRIC = "vertx.rdma.fabric";
  private static final int REQUESTS = 1_000;
  /** The best round counts: compilers, collections and heartbeats add wake-ups. */
  private static final int ROUNDS = 20;
  /** Wake-ups per request that timers and heartbeats may add. */
  private static final double OTHERS = 0.4;

  private final List<Vertx> running = new ArrayList<>();

  @BeforeEach
  void sleepAtOnce() {
    System.setProperty(POLL, "blocking");
    System.setProperty(FABRIC, "shm");
  }

  @AfterEach
  void stop() throws Exception {
    System.clearProperty(POLL);
    System.clearProperty(FABRIC);
    for (Vertx vertx : running.reversed()) {
      await(vertx.close());
    }
  }

  private Vertx clustered(int port, int loops) throws Exception {
    Vertx vertx = TestCluster.member(port, new VertxOptions().setEventLoopPoolSize(loops));
    running.add(vertx);
    return vertx;
  }

  private static void request(EventBus bus, int left, Promise<Void> done) {
    if (left == 0) {
      done.complete();
    } else {
      bus.request("echo", Buffer.buffer(new byte[64])).onComplete(reply -> request(bus, left - 1, done), done::fail);
    }
  }

  /** voluntary_ctxt_switches of proc_pid_status(5) */
  private static long sleeps() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      return threads.mapToLong(BusWakeUpsTest::sleeps).sum();
    }
  }

  private static long sleeps(Path thread) {
    try {
      List<String> lines = Files.readAllLines(thread.resolve("status"));
      return lines.getFirst().contains("vert.x-eventloo") ? lines.stream().filter(line -> line.startsWith("voluntary_ctxt_switches"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip())).sum() : 0;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"4, 4", "1, 2"})
  void requestWakesEachLoopOnItsWayOnce(int loops, int wakeUps) throws Exception {
    int port = TestCluster.freePorts();
    long channels = TransportCounters.PROCESS.channels();
    Vertx server = clustered(port, loops);
    Promise<Void> registered = Promise.promise();
    server.runOnContext(start -> server.eventBus().<Buffer>consumer("echo", message -> message.reply(message.body())).completion()
      .onComplete(registered));
    await(registered.future());
    Vertx client = clustered(port, loops);
    double least = Double.MAX_VALUE;
    for (int i = 0; i < ROUNDS && least > wakeUps + OTHERS; i++) {
      long before = sleeps();
      Promise<Void> done = Promise.promise();
      client.runOnContext(start -> request(client.eventBus(), REQUESTS, done));
      await(done.future());
      least = Math.min(least, (double) (sleeps() - before) / REQUESTS);
    }
    assertTrue(TransportCounters.PROCESS.channels() > channels, "the event bus does not use shared memory");
    assertTrue(least <= wakeUps + OTHERS, least + " wake-ups per request");
  }
}
