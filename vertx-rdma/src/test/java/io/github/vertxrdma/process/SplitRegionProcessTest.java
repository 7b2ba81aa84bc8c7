package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@Timeout(120)
class SplitRegionProcessTest {
  private static final String DEVICES = "mlx5,nic";
  private static final String REGION = "table";
  private static final int SIZE = 8 << 20;

  @TempDir
  Path folder;
  private final Vertx vertx = Vertx.vertx();

  /** The owner. Argument: the folder of the directory. */
  static final class Owner {
    private Owner() {
    }

    public static void main(String[] args) throws Exception {
      await(node(Vertx.vertx(), args[0])
        .createRegion(new RegionOptions().setName(REGION).setSize(SIZE).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
      System.out.println("ready");
      while (IO.readln() != null) {
      }
      System.exit(0);
    }
  }

  private static Rdma node(Vertx vertx, String folder) {
    // The connection manager gives the addresses of this host to one device only.
    return Rdma.create(vertx, new RdmaOptions().setFabric("verbs-rocev2").setRegionSplitSize(RdmaOptions.MIN_REGION_SPLIT_SIZE)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder))
      .setSettings(new JsonObject().put("verbs.device", DEVICES).put("verbs.connect", "exchange")));
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
    Nic.withdraw();
  }

  @Test
  void aKilledOwnerFailsBothHalvesOnce() throws Exception {
    Nic nic = Nic.built();
    assumeTrue(nic.missing() == null, nic.missing());
    nic.provide(DEVICES.split(","));
    String directory = folder.resolve("directory").toString();
    List<RegionEnd> ends = new CopyOnWriteArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    AtomicInteger moved = new AtomicInteger();
    try (ChildJvm owner = ChildJvm.startBy(List.of("env", "VERTX_RDMA_VERBS=" + nic.verbs(), "VERTX_RDMA_RDMACM=" + nic.cm(),
      Nic.PERSONALITIES + "=" + DEVICES), Owner.class, directory)) {
      owner.await("ready");
      RemoteRegion region = await(node(vertx, directory).openRegion(REGION));
      assertTrue(region.strategies().contains("in halves over"), region.strategies());
      region.closeHandler(ends::add);
      vertx.getOrCreateContext().runOnContext(v -> move(region, moved, failures));
      until("it is used", () -> moved.get() > 5);
      owner.kill();
      until("the last has failed, and the application was told", () -> !failures.isEmpty() && !ends.isEmpty());
      assertEquals(List.of(RegionEnd.CONNECTION_LOST), ends);
      assertEquals(1, failures.size());
      assertEquals(Reason.CONNECTION_LOST, ((RdmaException) failures.getFirst()).reason());
      await(region.close());
    }
  }

  private static void move(RemoteRegion region, AtomicInteger moved, List<Throwable> failures) {
    Buffer data = Buffer.buffer(new byte[SIZE]).setInt(SIZE / 2 - 2, moved.get());
    region.write(0, data).compose(v -> region.read(0, SIZE)).onFailure(failures::add).onSuccess(read -> {
      assertEquals(data, read);
      moved.incrementAndGet();
      move(region, moved, failures);
    });
  }
}
