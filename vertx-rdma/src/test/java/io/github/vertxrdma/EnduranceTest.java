package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.ReachableHeap;
import io.github.vertxrdma.provider.contract.Leaks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(value = OS.LINUX, disabledReason = "what a process has of the system is counted in /proc")
class EnduranceTest {
  private static final int AT_ONCE = 8;
  private static final int REGION_BYTES = 4096;
  /** Heap bytes that a connection may leave: less than an open one, more than the memory that is kept for some seconds after its end. */
  private static final int HEAP_OF_CONNECTION = 1500;
  /** Average bytes that a region may leave: tables that have grown, and compiled code, are no leak. */
  private static final int HEAP_OF_REGION = 40;
  private static final int MAPPINGS = 100;
  /** Threads that may appear: pools grow to their sizes, and the JVM starts and ends some. */
  private static final int THREADS = 50;
  private static final int HEAP_OF_OPERATIONS = 1 << 20;
  private static final Buffer MESSAGE = Buffer.buffer("sixteen bytes...");
  private static final String RUNTIME = "vertx.rdma.runtime";

  @TempDir
  Path folder;
  private Rdma server;
  private Rdma client;
  private Context context;

  private record Held(long heap, long mappings, Leaks leaks, int threads, List<String> files) {
  }

  @Test
  @Timeout(180)
  void aThousandConnectionsAndTenThousandRegionsLeaveNothing() throws Exception {
    endure("nio", 1_000, 10_000);
  }

  @Test
  @Tag("full")
  @Timeout(180)
  void aThousandConnectionsAndTenThousandRegionsLeaveNothingOverShm() throws Exception {
    endure("shm", 1_000, 10_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm", "tcp", "rxm"})
  @Tag("long")
  @Timeout(3600)
  void aHundredThousandConnectionsAndAMillionRegionsLeaveNothing(String fabric) throws Exception {
    endure(fabric, 100_000, 1_000_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  @Tag("long")
  @Timeout(3600)
  void aHundredMillionOperationsLeaveNothing(String fabric) throws Exception {
    long all = Long.getLong("operations", 100_000_000);
    within(fabric, () -> {
      operate(500_000);
      Held before = held();
      long began = System.nanoTime();
      operate(all);
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
      Held after = left(before);
      System.out.printf("%s: %d operations in %d s, %d bytes of heap left%n", fabric, all, seconds, after.heap() - before.heap());
      assertTrue(after.heap() - before.heap() <= HEAP_OF_OPERATIONS, after.heap() - before.heap() + " bytes of heap are left");
    });
  }

  @BeforeEach
  void ownRuntime() {
    System.setProperty(RUNTIME, folder.resolve("held").resolve("run").toString());
  }

  @AfterEach
  void commonRuntime() {
    System.clearProperty(RUNTIME);
  }

  private interface Body {
    void run() throws Exception;
  }

  private void endure(String fabric, int connections, int regions) throws Exception {
    within(fabric, () -> {
      again(500, this::converse);
      again(2_000, this::useRegion);
      until("both nodes have their files of statistics", () -> files().stream().filter(file -> file.contains("/stat/")).count() == 2);
      Held before = held();
      again(connections, this::converse);
      long heap = ReachableHeap.bytes(folder);
      again(regions, this::useRegion);
      Held after = left(before);
      long ofConnection = (heap - before.heap()) / connections;
      long ofRegion = (after.heap() - heap) / regions;
      System.out.printf("%s: %d bytes of heap left by a connection, %d by a region%n", fabric, ofConnection, ofRegion);
      assertTrue(ofConnection <= HEAP_OF_CONNECTION, ofConnection + " bytes of heap are left of a connection");
      assertTrue(ofRegion <= HEAP_OF_REGION, ofRegion + " bytes of heap are left of a region");
    });
  }

  private void within(String fabric, Body body) throws Exception {
    Vertx serverVertx = Vertx.vertx();
    Vertx clientVertx = Vertx.vertx();
    try {
      server = Rdma.create(serverVertx, options(fabric));
      client = Rdma.create(clientVertx, options(fabric));
      context = clientVertx.getOrCreateContext();
      try {
        patiently(server.createServer().connectHandler(peer -> peer.handler(peer::write).endHandler(v -> peer.end())).listen("echo"));
      } catch (ExecutionException e) {
        assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED, e.getCause().getMessage());
        throw e;
      }
      body.run();
    } finally {
      patiently(clientVertx.close());
      patiently(serverVertx.close());
    }
  }

  private Held left(Held before) throws IOException, InterruptedException {
    before.leaks().assertNoneSince();
    until("its files are those that it had", () -> files().equals(before.files()));
    Held after = held();
    assertTrue(after.mappings() - before.mappings() <= MAPPINGS, after.mappings() + " mappings, before " + before.mappings());
    assertTrue(after.threads() - before.threads() <= THREADS, after.threads() + " threads, before " + before.threads());
    return after;
  }

  private Held held() throws IOException, InterruptedException {
    return new Held(ReachableHeap.bytes(folder), Files.readAllLines(Path.of("/proc/self/maps")).size(), Leaks.snapshot(),
      Thread.getAllStackTraces().size(), files());
  }

  private List<String> files() {
    try (Stream<Path> files = Files.walk(folder.resolve("held"))) {
      return files.map(Path::toString).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      // A file may be renamed meanwhile.
      return List.of(e.toString());
    }
  }

  private Future<Void> converse() {
    return client.connect("echo").compose(connection -> {
      Promise<Void> answered = Promise.promise();
      connection.handler(answer -> answered.complete());
      connection.write(Buffer.buffer("hello"));
      return answered.future().compose(v -> connection.close());
    });
  }

  private Future<Void> useRegion() {
    return server.createRegion(new RegionOptions().setSize(REGION_BYTES).setAccess(RegionAccess.READ)).compose(MemoryRegion::close);
  }

  private void operate(long count) throws Exception {
    AtomicLong came = new AtomicLong();
    RdmaServer counts = patiently(server.createServer().connectHandler(peer -> peer.handler(message -> came.incrementAndGet())
      .endHandler(v -> peer.end())).listen("count"));
    long messages = count - count / 10;
    Promise<Void> over = Promise.promise();
    context.runOnContext(v -> client.connect("count").onFailure(over::fail).onSuccess(connection -> {
      connection.handler(message -> {}).endHandler(end -> connection.close().onComplete(over));
      pump(connection, new long[] {messages});
    }));
    patiently(over.future());
    assertEquals(messages, came.get());
    patiently(counts.close());
    MemoryRegion table = patiently(server.createRegion(new RegionOptions().setName("table").setSize(REGION_BYTES)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
    RemoteRegion remote = patiently(client.openRegion("table"));
    AtomicInteger number = new AtomicInteger();
    again((int) (count / 10), () -> switch (number.incrementAndGet() % 3) {
      case 0 -> remote.write(64, MESSAGE);
      case 1 -> remote.read(64, MESSAGE.length()).mapEmpty();
      default -> remote.fetchAndAdd(0, 1).mapEmpty();
    });
    patiently(remote.close());
    patiently(table.close());
  }

  private static void pump(RdmaConnection connection, long[] left) {
    while (left[0] > 0 && !connection.writeQueueFull()) {
      left[0]--;
      connection.write(MESSAGE);
    }
    if (left[0] > 0) {
      connection.drainHandler(v -> pump(connection, left));
    } else {
      connection.end();
    }
  }

  private void again(int count, Supplier<Future<Void>> what) throws Exception {
    Promise<Void> all = Promise.promise();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    context.runOnContext(v -> {
      for (int i = 0; i < AT_ONCE; i++) {
        next(count, what, begun, done, all);
      }
    });
    patiently(all.future());
  }

  private void next(int count, Supplier<Future<Void>> what, AtomicInteger begun, AtomicInteger done, Promise<Void> all) {
    if (begun.getAndIncrement() >= count || all.future().failed()) {
      return;
    }
    what.get().onComplete(over -> {
      if (over.failed()) {
        all.tryFail(new AssertionError("after " + done.get(), over.cause()));
      } else if (done.incrementAndGet() == count) {
        all.complete();
      } else {
        context.runOnContext(v -> next(count, what, begun, done, all));
      }
    });
  }

  private static <T> T patiently(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get();
  }

  private RdmaOptions options(String fabric) {
    return new RdmaOptions().setFabric(fabric)
      .setDirectory(
        new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("held").resolve("directory").toString()));
  }
}
