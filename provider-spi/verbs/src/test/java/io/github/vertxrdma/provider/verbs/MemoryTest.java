package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
@Timeout(120)
@ExtendWith(LeakCheck.class)
class MemoryTest {
  private static final int MIB = 1 << 20;

  @Parameter
  private String name;

  static List<String> names() {
    return TestDevices.names();
  }

  private VerbsDevice device(Map<String, String> settings) {
    return (VerbsDevice) new VerbsProvider().discover(new DiscoveryOptions(null, settings)).devices().stream()
      .filter(device -> device.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void memoryThatCannotBeIsRefused() {
    try (Domain domain = Devices.require(new VerbsProvider(), name).open()) {
      MemorySegment freed;
      try (Arena arena = Arena.ofShared()) {
        freed = arena.allocate(4096);
      }
      ProviderException closed = assertThrows(ProviderException.class, () -> domain.register(freed, Set.of(Access.LOCAL_WRITE)));
      assertEquals(ProviderException.Reason.INVALID, closed.reason());
      assertTrue(closed.getMessage().contains("a closed arena"), closed.getMessage());
      ProviderException negative = assertThrows(ProviderException.class, () -> domain.remoteMemory(0, -1, new byte[Integer.BYTES]));
      assertEquals(ProviderException.Reason.INVALID, negative.reason());
      assertTrue(negative.getMessage().contains("-1 bytes"), negative.getMessage());
    }
  }

  private static Set<Access> late(CountDownLatch asked, CountDownLatch told) {
    return new AbstractSet<>() {
      @Override
      public Iterator<Access> iterator() {
        asked.countDown();
        try {
          told.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return List.of(Access.LOCAL_WRITE).iterator();
      }

      @Override
      public int size() {
        return 1;
      }
    };
  }

  @Test
  void aDomainClosesAfterWhatIsBeingRegistered() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    try (Arena arena = Arena.ofShared()) {
      Domain domain = Devices.require(new VerbsProvider(), name).open();
      MemorySegment memory = arena.allocate(4096);
      Thread registering = Thread.ofPlatform().daemon().start(() -> domain.register(memory, late(asked, told)));
      asked.await();
      Thread closing = Thread.ofPlatform().daemon().start(domain::close);
      Await.until("the close waits", () -> closing.getState() == Thread.State.WAITING || !closing.isAlive());
      assertTrue(closing.isAlive(), "it is closed while memory is being registered");
      told.countDown();
      registering.join();
      closing.join();
      assertThrows(IllegalStateException.class, () -> domain.register(memory, Set.of(Access.LOCAL_WRITE)));
    }
  }

  @Test
  void aRegionMayBeLargerThanFourGiB() {
    long size = (4L << 30) + 64 * MIB;
    try (RepeatedMemory memory = RepeatedMemory.map(size, 64 * MIB);
      Pair pair = Pair.connected(Devices.require(new VerbsProvider(), name))) {
      MemoryRegion mine = pair.a.openRegion(4096);
      long offset = size - 4096 - 64;
      MemorySegment end = memory.segment().asSlice(offset, 4096);
      try (MemoryRegion theirs = pair.b.domain().register(memory.segment(), Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
        assertEquals(size, theirs.size());
        end.fill((byte) 7);
        assertEquals(Status.OK, pair.left().post(
          new WorkRequest().read(mine, 0, 4096, pair.a.remote(theirs), offset).id(-1).flags(PostFlags.SIGNALED)));
        pair.success(pair.a, -1);
        assertEquals(-1, mine.segment().mismatch(end));
        mine.segment().fill((byte) 8);
        assertEquals(Status.OK, pair.left().post(
          new WorkRequest().write(mine, 0, 4096, pair.a.remote(theirs), offset).id(-2).flags(PostFlags.SIGNALED)));
        pair.success(pair.a, -2);
        assertEquals(Status.OK, pair.left().post(
          new WorkRequest().read(mine, 0, 4096, pair.a.remote(theirs), offset).id(-3).flags(PostFlags.SIGNALED)));
        pair.success(pair.a, -3);
        assertEquals((byte) 8, end.get(ValueLayout.JAVA_BYTE, 4095));
      }
    }
  }

  private static String mapping(String file, long address) throws IOException {
    StringBuilder said = new StringBuilder();
    boolean in = false;
    for (String line : Files.readAllLines(Path.of("/proc/self", file))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] ends = line.substring(0, line.indexOf(' ')).split("-");
        in = Long.parseUnsignedLong(ends[0], 16) <= address && address < Long.parseUnsignedLong(ends[1], 16);
      } else if (line.matches("[0-9a-f]{6,} .*")) {
        in = Long.parseUnsignedLong(line.substring(0, line.indexOf(' ')), 16) == address;
      }
      if (in) {
        said.append(line).append('\n');
      }
    }
    return said.toString();
  }

  @Test
  void memoryIsPutOnHugePagesAndANumaNode() throws Exception {
    assumeTrue(Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")), "this kernel has no transparent huge pages");
    assumeTrue(Files.exists(Path.of("/proc/self/numa_maps")), "this kernel knows of no NUMA nodes");
    VerbsDevice device = device(Map.of("verbs.huge-pages", "true", "verbs.numa-node", "0"));
    try (Domain domain = device.open()) {
      // Fragmented memory has no huge pages.
      Await.until("one of the pages is huge", () -> hasHugePage(domain));
    }
  }

  private static MemoryRegion registerOnNode(Domain domain, MemorySegment memory) {
    try {
      return domain.register(memory, Set.of(Access.LOCAL_WRITE));
    } catch (ProviderException e) {
      // As in containers with Docker's rules for system calls.
      assumeTrue(e.errno() != Errno.EPERM, "this process may not call mbind(2)");
      throw e;
    }
  }

  private static boolean hasHugePage(Domain domain) {
    try (Arena arena = Arena.ofShared()) {
      // A buffer of this size makes malloc(3) map memory.
      MemorySegment memory = arena.allocate(40 * MIB, 2 * MIB);
      try (MemoryRegion region = registerOnNode(domain, memory)) {
        String bound = mapping("numa_maps", memory.address());
        assertTrue(bound.contains(" bind:0 "), bound);
        String pages = mapping("smaps", memory.address());
        assertTrue(pages.contains("hg"), pages);
        assertEquals(40 * MIB, region.size());
        return pages.matches("(?s).*AnonHugePages: +[1-9].*");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theNodeOfTheDeviceIsWhatItsFolderSays(@TempDir Path sysfs) throws Exception {
    assumeTrue(TestDevices.inUserSpace(), "the kernel's devices have folders of their own");
    Path file = Files.createDirectories(sysfs.resolve("class/infiniband").resolve(name.substring("verbs:".length())).resolve("device"))
      .resolve("numa_node");
    Nic.sysfs(sysfs);
    try {
      VerbsDevice device = device(Map.of("verbs.numa-node", "device"));
      assertEquals(-1, device.numaNode(), "without a file");
      Files.writeString(file, "3\n");
      assertEquals(3, device.numaNode());
      assumeTrue(Files.exists(Path.of("/proc/self/numa_maps")), "this kernel knows of no NUMA nodes");
      Files.writeString(file, "0\n");
      try (Domain domain = device.open(); Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(40 * MIB, 4096);
        try (MemoryRegion region = registerOnNode(domain, memory)) {
          String bound = mapping("numa_maps", memory.address());
          assertTrue(bound.contains(" bind:0 "), bound);
          assertEquals(40 * MIB, region.size());
        }
      }
    } finally {
      Nic.sysfs(Path.of("/sys"));
    }
  }

  @Test
  void missingNumaNodeIsNamed() {
    ProviderException wrong = assertThrows(ProviderException.class, () -> device(Map.of("verbs.numa-node", "near")).open());
    assertTrue(wrong.getMessage().contains("verbs.numa-node is 'near'"), wrong.getMessage());
    try (Domain domain = device(Map.of("verbs.numa-node", "511")).open(); Arena arena = Arena.ofShared()) {
      ProviderException missing = assertThrows(ProviderException.class,
        () -> domain.register(arena.allocate(MIB, 4096), Set.of(Access.LOCAL_WRITE)));
      assertTrue(missing.getMessage().contains("NUMA node 511") && missing.getMessage().contains("errno"), missing.getMessage());
    }
    try (Domain domain = device(Map.of("verbs.numa-node", "device")).open(); Side side = new Side(domain, new PairOptions())) {
      assertEquals(4096, side.openRegion(4096).size());
    }
  }
}
