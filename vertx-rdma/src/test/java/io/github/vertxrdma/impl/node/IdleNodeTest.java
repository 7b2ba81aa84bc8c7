package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An idle node with a server accesses none of its files, and restores those that others remove. */
@Tag("full")
@Timeout(180)
class IdleNodeTest {
  /** More than the longest pause between two checks of the files. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(17);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long PATIENCE_MILLIS = 90_000;

  @TempDir
  Path folder;

  /** Starts a node whose files are in the folder of the argument. */
  static final class Child {
    public static void main(String[] arguments) throws Exception {
      System.setProperty("vertx.rdma.runtime", arguments[0]);
      VertxInternal vertx = (VertxInternal) Vertx.vertx();
      Node node = await(Node.start(vertx, new RdmaOptions().setStatistics(true).setFabric("shm")
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup("idle")), null));
      await(ListeningService.byName(node, vertx.getOrCreateContext(), "idle", new JsonObject(),
        link -> link.refuse("this test has no clients")));
      System.out.println("started");
      System.in.read();
      Runtime.getRuntime().halt(0);
    }
  }

  private List<Path> files() {
    try (Stream<Path> files = Files.walk(folder.resolve("run"))) {
      return files.map(folder::relativize)
        .filter(file -> Stream.of("live-", ".peer", "secret", ".stat", "shm/").anyMatch(file.toString()::contains))
        .filter(file -> !file.endsWith(".lock")).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  private static boolean runs(List<String> command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static long calls(Path trace, String name) {
    LockSupport.parkNanos(POLL_NANOS);
    try (Stream<String> lines = Files.lines(trace)) {
      return lines.filter(line -> line.contains(name)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void idleNodeAccessesNoFileUntilOthersRemoveOne() throws Exception {
    String run = folder.resolve("run").toString();
    Path calls = folder.resolve("calls");
    List<String> trace = List.of("strace", "-f", "-qq", "-y", "--seccomp-bpf", "-e", "trace=%file,connect,bind,pread64,pwrite64", "-o",
      calls.toString());
    assumeTrue(runs(Stream.concat(trace.stream(), Stream.of("true")).toList()), "SKIPPED calls of the system: no strace(1)");
    try (ChildJvm child = ChildJvm.startBy(trace, Child.class, run)) {
      child.await("started");
      until("all files are there", () -> files().size() == 5);
      List<Path> before = files();
      AtomicLong count = new AtomicLong();
      AtomicLong since = new AtomicLong();
      until("no call names a file of the node", () -> {
        long now = calls(calls, run);
        if (count.getAndSet(now) != now) {
          since.set(System.nanoTime());
        }
        return now > 0 && System.nanoTime() - since.get() > QUIET_NANOS;
      }, PATIENCE_MILLIS);
      for (int round = 0; round < 2; round++) {
        for (Path each : before) {
          Files.delete(folder.resolve(each));
        }
        until("the files are restored", () -> files().equals(before));
      }
      try (Stream<Path> all = Files.walk(folder.resolve("run"))) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
      until("the folder is restored", () -> files().equals(before));
    }
  }
}
