package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ReclaimProcessTest {
  @TempDir
  Path folder;

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void writesOfStoppedHolderAfterRevokeAreInvisible() throws Exception {
    Fabrics fabrics = new Fabrics(vertx, folder.toString(), List.of("shm"));
    MemoryRegion region = await(fabrics.nodes().get("shm").createRegion(new RegionOptions().setName("held").setSize(HolderProcess.SIZE)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    try (ChildJvm holder = ChildJvm.start(HolderProcess.class, folder.toString(), "held")) {
      holder.await("blocked");
      write(holder, 1);
      assertHolds(region, 1);
      holder.signal("STOP");
      await(region.revoke(Duration.ofMillis(200)));
      assertHolds(region, 1);
      holder.signal("CONT");
      write(holder, 2);
      assertHolds(region, 1);
      region.segment().fill((byte) 3);
      write(holder, 4);
      assertHolds(region, 3);
    }
  }

  private static void write(ChildJvm holder, int value) throws Exception {
    holder.send(String.valueOf(value));
    holder.await("wrote " + value);
  }

  private static void assertHolds(MemoryRegion region, int value) {
    byte[] expected = new byte[HolderProcess.SIZE];
    Arrays.fill(expected, (byte) value);
    assertEquals(-1, region.segment().mismatch(MemorySegment.ofArray(expected)));
  }
}
