package io.github.vertxrdma.storm;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk without room below the runtime folder and the same-host directory: statistics fail with the file, and services, regions and nodes
 * continue. The disk is a small tmpfs of one process.
 */
@Timeout(180)
class FullDiskTest {
  private static final String FULL = "No space left on device. Make room there";

  @TempDir
  Path folder;

  private List<String> onSmallDisk() {
    return List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs " + folder + " && exec \"$@\"", "sh");
  }

  private boolean canMount() throws InterruptedException {
    try {
      return new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder.toString()).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void writesFailWithTheReasonAndTheRestContinues() throws Exception {
    assumeTrue(canMount(), "SKIPPED full disks: only root can mount a small one, by unshare(1)");
    try (ChildJvm child = ChildJvm.startBy(onSmallDisk(), Nodes.class, folder.toString())) {
      String said = child.await("statistics:");
      assertTrue(said.contains(FULL) && said.contains(folder.toString()), said);
      assertTrue(said.startsWith("LIMIT"), said);
      child.await("all works again");
      assertEquals(0, child.waitFor());
    }
  }

  static final class Nodes {
    private static final int LARGE = 1 << 20;

    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
      Vertx vertx = Vertx.vertx();
      Rdma server = Rdma.create(vertx, options());
      Rdma client = Rdma.create(vertx, options());
      serve(server, "orders");
      final RdmaServer withdrawn = serve(server, "withdrawn");
      final RdmaDirectory seen = await(client.directory());
      Echo echo = new Echo(await(client.connect("orders")));
      echo.talk();
      until("the other service is known", () -> !seen.services("withdrawn").isEmpty());
      PublishedStatistics statistics = PublishedStatistics.create();
      statistics.write("before");

      Path filler = fill(folder);
      serve(server, "more");
      new Echo(await(client.connect("more"))).talk();
      await(await(share(server, "table")).close());
      Rdma third = Rdma.create(vertx, options());
      serve(third, "third");
      new Echo(await(client.connect("third"))).talk();
      say("statistics", () -> statistics.write("x".repeat(100_000)));
      await(withdrawn.close());
      until("what was closed is withdrawn", () -> seen.services("withdrawn").isEmpty());
      echo.talk();
      new Echo(await(client.connect("orders"))).talk();
      boolean readable = PublishedStatistics.read(ProcessHandle.current().pid()).contains("before");

      Files.delete(filler);
      statistics.write("x".repeat(100_000));
      statistics.close();
      echo.talk();
      await(vertx.close());
      System.out.println(readable ? "all works again" : "the statistics could not be read");
    }

    private static RdmaOptions options() {
      return new RdmaOptions().setFabric("shm");
    }

    private static RdmaServer serve(Rdma rdma, String name) throws Exception {
      return await(rdma.createServer().connectHandler(peer -> peer.handler(peer::write)).listen(name));
    }

    private static Future<MemoryRegion> share(Rdma rdma, String name) {
      return rdma.createRegion(new RegionOptions().setName(name).setSize(LARGE).setAccess(RegionAccess.READ));
    }

    private static Path fill(Path folder) throws IOException {
      Path filler = folder.resolve("filler");
      try (OutputStream out = Files.newOutputStream(filler)) {
        while (true) {
          out.write(new byte[4096]);
        }
      } catch (IOException e) {
        return filler;
      }
    }

    private interface Action {
      void run() throws Exception;
    }

    private static void say(String what, Action action) {
      Throwable cause = null;
      try {
        action.run();
      } catch (ExecutionException e) {
        cause = e.getCause();
      } catch (Exception e) {
        cause = e;
      }
      System.out.println(what + ": " + (cause instanceof RdmaException named ? named.reason() + " " + named.getMessage() : cause));
    }
  }

  private static final class Echo {
    private final AtomicInteger came = new AtomicInteger();
    private final RdmaConnection connection;
    private int sent;

    Echo(RdmaConnection connection) {
      this.connection = connection.handler(message -> came.incrementAndGet());
    }

    void talk() throws Exception {
      await(connection.write(Buffer.buffer(new byte[Nodes.LARGE])));
      sent++;
      until("it comes back", () -> came.get() == sent);
    }
  }
}
