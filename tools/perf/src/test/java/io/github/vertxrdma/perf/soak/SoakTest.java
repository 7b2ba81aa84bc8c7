package io.github.vertxrdma.perf.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Soak;
import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the soak as a user does; {@code -Dsoak.seed=} sets another seed. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "what a process has of the system is counted in /proc")
class SoakTest {
  private static final int SECONDS = 20;
  private static final int MANY_SECONDS = 600;

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  @Tag("full")
  @Timeout(600)
  void aShortOne(String fabric) throws Exception {
    soak(fabric, SECONDS, Long.getLong("soak.seed", 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm", "tcp", "rxm"})
  @Tag("long")
  @Timeout(2400)
  void aLongOne(String fabric) throws Exception {
    soak(fabric, MANY_SECONDS, Long.getLong("soak.seed", System.nanoTime()));
  }

  @Test
  @Timeout(120)
  void aSignalLeavesNothing(@TempDir Path temporary) throws Exception {
    try (ChildProcess soak = new ChildProcess("soak",
      List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
        "-Djava.io.tmpdir=" + temporary, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
        "io.github.vertxrdma.perf.PerfMain", "soak"),
      line -> line.startsWith("seed "))) {
      soak.answer(60);
      ProcessHandle process = ProcessHandle.of(soak.pid()).orElseThrow();
      List<ProcessHandle> members = process.children().toList();
      while (members.isEmpty()) {
        LockSupport.parkNanos(1_000_000);
        members = process.children().toList();
      }
      process.destroy();
      Await.until("the program ends", () -> ChildJvm.hasEnded(process));
      for (ProcessHandle member : members) {
        Await.until("its member ends", () -> ChildJvm.hasEnded(member));
      }
    }
    try (Stream<Path> files = Files.list(temporary)) {
      assertEquals(List.of(), files.filter(file -> file.getFileName().toString().startsWith("rdma-soak")).toList());
    }
  }

  private static void soak(String fabric, int seconds, long seed) throws Exception {
    assumeHere(fabric);
    Soak soak = new Soak();
    soak.fabric = fabric;
    soak.seconds = seconds;
    soak.seed = seed;
    run(soak);
  }

  static String run(Soak soak) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int status;
    try {
      status = new SoakRun(soak, new PrintStream(out, true, StandardCharsets.UTF_8)).run();
    } finally {
      System.out.println(out.toString(StandardCharsets.UTF_8));
    }
    assertEquals(0, status, out.toString(StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  private static void assumeHere(String fabric) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      await(Rdma.create(vertx, new RdmaOptions().setFabric(fabric)).fabrics());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RdmaException why && why.reason() == RdmaException.Reason.UNSUPPORTED) {
        Assumptions.abort(why.getMessage());
      }
      throw e;
    } finally {
      await(vertx.close());
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
  }
}
