package io.github.vertxrdma.provider.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SoftwareRegionTest {
  private static final int SIZE = 1 << 16;

  @TempDir
  Path folder;

  private static void assertAccesses(SoftwareRegion region, MemorySegment other) {
    region.set(other, 0, 8, 64);
    region.get(8, other, 64, 64);
    assertEquals(-1, other.asSlice(64, 64).mismatch(other.asSlice(0, 64)));
    assertTrue(region.put(other, 0, 100, 64));
    assertTrue(region.put(7, 16));
    region.set(8, 16);
    assertEquals(8, region.atomic(true, 16, 2, 0));
    assertEquals(10, region.atomic(false, 16, 10, 3));
    assertEquals(3, region.segment().get(ValueLayout.JAVA_LONG, 16));
  }

  @Test
  void accessesOfATruncatedFileFailInTheirCalls() throws Exception {
    RegionTable<SoftwareRegion> table = new RegionTable<>("test", 16, SoftwareRegion::new);
    try (Arena arena = Arena.ofShared();
      FileChannel file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      MemorySegment other = arena.allocate(SIZE, 8);
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      EnumSet<Access> all = EnumSet.allOf(Access.class);
      SoftwareRegion region = table.register(mapped, all);
      assertAccesses(region, other);
      assertAccesses(table.register(arena.allocate(SIZE, 8), all), other);
      file.truncate(0);
      List<Runnable> accesses = List.of(() -> region.get(0, other, 0, 64), () -> region.get(0, other, 0, SIZE),
        () -> region.set(other, 0, 0, 64), () -> region.set(other, 0, 0, SIZE), () -> region.put(other, 0, 4096, 8),
        () -> region.set(1, 16), () -> region.put(1, 16), () -> region.atomic(true, 16, 1, 0), () -> region.atomic(false, 16, 0, 1));
      for (int round = 0; round < 100; round++) {
        for (Runnable access : accesses) {
          assertThrows(MemoryFaultException.class, access::run);
        }
      }
      // No access that failed holds the region.
      region.close();
    }
  }
}
