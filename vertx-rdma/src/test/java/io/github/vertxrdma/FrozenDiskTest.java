package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the runtime folder is frozen, as during a backup: connections continue, and only users of the folder wait. */
@Tag("alone")
@Tag("full")
@Timeout(180)
class FrozenDiskTest {
  private static final long FROZEN_MILLIS = 5_000;

  @TempDir
  Path folder;

  /** Argument: the mount point of the disk. */
  static final class Nodes {
    private final AtomicLong longest = new AtomicLong();
    private volatile long rounds;
    private long sent;

    public static void main(String[] arguments) throws Exception {
      System.setProperty("vertx.rdma.runtime", arguments[0] + "/run");
      new Nodes().run(arguments[0]);
    }

    private void run(String disk) throws Exception {
      Vertx serverVertx = Vertx.vertx();
      Vertx clientVertx = Vertx.vertx();
      RdmaOptions options = new RdmaOptions().setFabric("shm");
      Rdma server = Rdma.create(serverVertx, options);
      Rdma client = Rdma.create(clientVertx, options);
      FabricPair.await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      RdmaServer early = FabricPair.await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("early"));
      RdmaConnection connection = FabricPair.await(client.connect("echo"));
      FabricPair.await(client.connect("early"));
      connection.exceptionHandler(cause -> System.out.println("stack lost " + cause));
      connection.handler(reply -> ping(connection));
      ping(connection);
      Thread.ofPlatform().daemon().start(this::watch);
      Thread.ofPlatform().daemon().start(() -> {
        while (true) {
          long start = System.nanoTime();
          System.gc();
          note(start);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(FROZEN_MILLIS / 10));
        }
      });
      until("statistics of both nodes are written", () -> isWritten(disk), 2 * Await.PATIENCE_MILLIS);
      until("messages are sent without long pauses", () -> rounds > 1_000 && longest.getAndSet(0) < FROZEN_MILLIS / 10);
      System.out.println("before " + longest.getAndSet(0));
      // Thaws the disk also if this process is killed.
      call("sh", "-c", "(sleep 20; fsfreeze -u " + disk + ") >/dev/null 2>&1 &");
      call("fsfreeze", "-f", disk);
      long frozen = System.nanoTime();
      Future<RdmaServer> late = server.createServer().connectHandler(c -> c.handler(c::write)).listen("late");
      Future<Void> closed = early.close();
      long before = rounds;
      until("the disk has stood for a while", () -> System.nanoTime() - frozen > TimeUnit.MILLISECONDS.toNanos(FROZEN_MILLIS));
      long after = rounds;
      long stood = longest.get();
      call("fsfreeze", "-u", disk);
      System.out.println("stood " + stood + ' ' + (after - before));
      FabricPair.await(late);
      FabricPair.await(closed);
      FabricPair.await(client.connect("late"));
      System.out.println("late works");
      FabricPair.await(clientVertx.close());
      FabricPair.await(serverVertx.close());
      System.out.println("closed");
    }

    private void watch() {
      long last = -1;
      while (true) {
        long now = rounds;
        if (now == last) {
          System.out.println("stack after " + now + " rounds");
          Thread.getAllStackTraces().forEach((thread, frames) -> System.out.println("stack " + thread.getName() + ' ' + List.of(frames)));
        }
        last = now;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(FROZEN_MILLIS / 4));
      }
    }

    private void ping(RdmaConnection connection) {
      if (sent != 0) {
        note(sent);
        rounds++;
      }
      sent = System.nanoTime();
      connection.write(Buffer.buffer("ping"));
    }

    private static boolean isWritten(String disk) {
      try (Stream<Path> files = Files.list(Path.of(disk, "run", "stat"))) {
        return files.map(Path::toFile).filter(file -> file.length() > 100).count() == 2;
      } catch (IOException e) {
        return false;
      }
    }

    private void note(long start) {
      longest.accumulateAndGet(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), Math::max);
    }

    private static void call(String... command) throws Exception {
      if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
        throw new IOException(String.join(" ", command) + " failed");
      }
    }
  }

  @Test
  void connectionsAndSafepointsDoNotWaitForTheDiskOfTheRuntimeFolder() throws Exception {
    Path image = folder.resolve("image");
    // Short, because the length of a socket path is limited.
    Path disk = Files.createTempDirectory("vrd");
    String make = "truncate -s 32M " + image + " && mkfs.ext4 -q " + image + " && mount -o loop " + image + ' ' + disk;
    try {
      assumeTrue(new ProcessBuilder("unshare", "-m", "sh", "-c", make + " && fsfreeze -f " + disk + " && fsfreeze -u " + disk)
        .redirectErrorStream(true).start().waitFor() == 0, "SKIPPED frozen disks: only root can mount one, by a loop device");
      try (ChildJvm child = ChildJvm.startBy(List.of("unshare", "-m", "sh", "-c", make + " && exec \"$@\"", "sh"), Nodes.class,
        disk.toString())) {
        String[] stood = child.await("stood ").split(" ");
        assertTrue(Long.parseLong(stood[0]) < FROZEN_MILLIS / 2,
          () -> stood[0] + " ms, before " + child.printed("before ") + ": " + child.printed("stack"));
        assertFalse(stood[1].equals("0"), () -> "no round trip was made: " + child.printed("stack"));
        child.await("late works");
        child.await("closed");
      }
    } finally {
      Files.delete(disk);
    }
  }
}
