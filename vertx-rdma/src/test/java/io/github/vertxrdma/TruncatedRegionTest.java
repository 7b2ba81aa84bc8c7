package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.base.MemoryFaultException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Accesses of an owner to its region of a mapped file: after its truncation each fails in its own call. */
@Timeout(60)
class TruncatedRegionTest extends FabricPair {
  private static final int SIZE = 1 << 16;

  @Test
  void accessesOfTheOwnerFailInTheirCalls() throws Exception {
    try (Arena arena = Arena.ofShared();
      FileChannel file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      MemoryRegion region = await(server.createRegion(mapped, new RegionOptions().setAccess(RegionAccess.values())));
      region.putRecord(0, Buffer.buffer("record"));
      assertEquals("record", region.getRecord(0).toString());
      assertEquals(0, await(region.fetchAndAdd(4096, 5)));
      assertEquals(5, await(region.compareAndExchange(4096, 5, 6)));
      file.truncate(0);
      List<Runnable> accesses = List.of(() -> region.read(0, 64), () -> region.read(0, SIZE), () -> region.write(8, Buffer.buffer("words")),
        () -> region.getAcquire(4096), () -> region.putRecord(0, Buffer.buffer("words")), () -> region.getRecord(0));
      for (int round = 0; round < 100; round++) {
        for (Runnable access : accesses) {
          assertThrows(MemoryFaultException.class, access::run);
        }
        for (Future<Long> atomic : List.of(region.fetchAndAdd(4096, 1), region.compareAndExchange(4096, 0, 1))) {
          assertInstanceOf(MemoryFaultException.class, assertThrows(ExecutionException.class, () -> await(atomic)).getCause());
        }
      }
      await(region.close());
    }
  }
}
