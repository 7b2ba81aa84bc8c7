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

  @Test
  void theNodeOfTheDeviceIsWhatItsFolderSays(@TempDir Path sysfs) throws Exception {
    assumeTrue(TestDevices.inUserSpace(), "the kernel's devices have folders of their own");
    Path file = Files.createDirectories(sysfs.resolve("class/infiniband").resolve(name.substring("verbs:".length())).resolve("device"))
      .resolve("numa_node");
    Nic.sysfs(sysfs);
    try {
      VerbsDevice device = device(Map.of());
      assertEquals(-1, device.numaNode(), "without a file");
      Files.writeString(file, "3\n");
      assertEquals(3, device.numaNode());
    } finally {
      Nic.sysfs(Path.of("/sys"));
    }
  }
}
