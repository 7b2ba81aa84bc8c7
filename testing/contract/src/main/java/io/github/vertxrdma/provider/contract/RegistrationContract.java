package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

public interface RegistrationContract extends ContractFixture {
  Set<Access> ALL = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

  @ContractTest
  default void heapMemoryIsRefusedByName(Domain domain) {
    ProviderException refused = assertFails(ProviderException.Reason.INVALID,
      () -> domain.register(MemorySegment.ofArray(new byte[4096]), ALL));
    assertTrue(refused.getMessage().contains("heap"), refused.getMessage());
  }

  /** A native library that reads a truncated file ends the process, so devices with such a library refuse the file. */
  @ContractTest
  default void memoryOfAFileIsRegisteredOrRefusedByName(Domain domain, Arena arena) throws IOException {
    Path file = Files.createTempFile("mapped", ".bin");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
      try (MemoryRegion region = domain.register(mapped, Set.of(Access.REMOTE_READ))) {
        assertEquals(4096, region.size());
      } catch (ProviderException refused) {
        assertTrue(device().capabilities().pinned() || refused.getMessage().contains("file"), refused.getMessage());
      }
    } finally {
      Files.delete(file);
    }
  }

  /** Java copies inline bytes before an adapter's library reads them. Other devices refuse the memory or end the connection. */
  @ContractTest
  default void inlineSendFromTruncatedFileFailsInItsPost(Pair pair, Arena arena) throws IOException {
    Path file = Files.createTempFile(Path.of("/dev/shm"), "mapped", ".bin");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      int size = pair.left().inlineSize();
      Assumptions.assumeTrue(size > 0, "this device has no inline sends");
      // Layers above write into the first bytes before the library reads the rest, so the page of the first bytes is truncated last.
      long page = 4096;
      long offset = page - Math.min(16, size - 1);
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, page + size, arena);
      try (MemoryRegion region = pair.a.domain().register(mapped, Set.of())) {
        for (long left : new long[] {page, 0}) {
          channel.truncate(left);
          WorkRequest send = new WorkRequest().send(region, offset, size).id(Side.nextId()).flags(PostFlags.SIGNALED | PostFlags.INLINE);
          int status;
          try {
            status = pair.left().post(send);
          } catch (IllegalStateException e) {
            status = Status.FAILED;
          }
          if (status == Status.OK) {
            assertFalse(device().capabilities().pinned());
            pair.until("the connection ends", () -> pair.left().state() != EndpointState.CONNECTED);
          }
        }
      } catch (ProviderException refused) {
        assertTrue(refused.getMessage().contains("file"), refused.getMessage());
      }
    } finally {
      Files.delete(file);
    }
  }

  @ContractTest
  default void registersAllSizes(Domain domain, Arena arena) {
    for (long size : new long[] {1, 7, 8, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, 32 << 20}) {
      if (size > domain.limits().maxRegionSize()) {
        continue;
      }
      MemorySegment memory = arena.allocate(size, 1);
      try (MemoryRegion region = domain.register(memory, ALL)) {
        assertEquals(size, region.size());
        assertEquals(memory, region.segment());
        assertTrue(region.access().containsAll(ALL));
        assertTrue(region.remoteKey().length > 0);
      }
    }
  }

  @ContractTest
  default void allocatedMemoryIsZeroedPagesToBeRegistered() {
    Set<Access> rights = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
    for (Set<Access> access : List.of(Set.<Access>of(), EnumSet.of(Access.REMOTE_READ), rights)) {
      for (long size : new long[] {1, 4096, 100_000}) {
        try (Domain domain = device().open(); Domain other = device().open(); Arena arena = Arena.ofShared()) {
          MemorySegment memory = domain.allocate(size, access, arena);
          assertEquals(size, memory.byteSize());
          assertEquals(0, memory.address() % 4096);
          assertEquals(-1, memory.mismatch(Arena.ofAuto().allocate(size)));
          memory.fill((byte) 1);
          try (MemoryRegion here = domain.register(memory, access); MemoryRegion there = other.register(memory, access)) {
            assertEquals(memory, here.segment());
            assertEquals(memory, there.segment());
          }
        }
      }
    }
  }

  @ContractTest
  default void partsOfMemoryAndTheSameMemoryCanBeRegisteredTwice(Domain domain, Arena arena) {
    MemorySegment memory = arena.allocate(3 * 4096, 1);
    try (MemoryRegion whole = domain.register(memory, ALL);
      MemoryRegion part = domain.register(memory.asSlice(100, 5000), EnumSet.of(Access.REMOTE_READ));
      MemoryRegion again = domain.register(memory, EnumSet.of(Access.LOCAL_WRITE))) {
      assertEquals(5000, part.size());
      assertEquals(whole.size(), again.size());
      assertFalse(Arrays.equals(whole.remoteKey(), part.remoteKey()) && whole.remoteAddress() == part.remoteAddress(),
        "two regions a peer cannot distinguish");
    }
  }

  @ContractTest
  default void confinedMemoryWithoutAccessRightsIsRegistered() {
    try (Domain domain = device().open();
      Arena arena = Arena.ofConfined();
      MemoryRegion region = domain.register(arena.allocate(64, 8), Set.of())) {
      assertEquals(64, region.size());
      assertEquals(Set.of(), region.access());
    }
  }

  @ContractTest
  default void regionsCloseTwiceAndKeysAreOpaqueCopies(Domain domain, Arena arena) {
    MemoryRegion region = domain.register(arena.allocate(4096, 8), ALL);
    byte[] key = region.remoteKey();
    Arrays.fill(region.remoteKey(), (byte) 0x55);
    assertTrue(Arrays.equals(key, region.remoteKey()), "the key changed with the caller's copy");
    region.close();
    region.close();
  }

  @ContractTest
  default void manyRegions(Domain domain, Arena arena) {
    List<MemoryRegion> regions = new ArrayList<>();
    int number = Math.min(100, domain.limits().maxRegions());
    for (int i = 0; i < number; i++) {
      regions.add(domain.register(arena.allocate(4096, 64), ALL));
    }
    assertEquals(number, regions.stream().map(r -> Arrays.toString(r.remoteKey()) + '@' + r.remoteAddress()).distinct().count());
    regions.forEach(MemoryRegion::close);
  }

  @ContractTest
  default void regionsOpenAndCloseOnOtherThreadsDuringReads(Domain domain, Arena arena) throws Exception {
    CompletableFuture<MemoryRegion> shared = new CompletableFuture<>();
    CompletableFuture<Void> failed = new CompletableFuture<>();
    List<CompletableFuture<Void>> others = new ArrayList<>();
    Duo.run(domain, new PairOptions(), side -> {
      MemoryRegion own = side.openRegion(64);
      RemoteMemory remote = side.remote(shared.get(Await.patienceMillis(), TimeUnit.MILLISECONDS));
      for (int i = 0; i < 2; i++) {
        MemorySegment memory = arena.allocate(4096, 8);
        others.add(Duo.start("registering", failed, () -> registerAndClose(domain, memory)));
      }
      for (int i = 0; !others.stream().allMatch(CompletableFuture::isDone); i++) {
        int read = i;
        assertEquals(Status.OK, side.endpoint.post(new WorkRequest().read(own, 0, 64, remote, 0).id(read).flags(PostFlags.SIGNALED)));
        Await.until("read " + read, () -> side.completion(read) != null, side::poll, side::toString);
        assertTrue(side.completion(read).ok(), side.completion(read).toString());
        side.completions.clear();
      }
      side.send(side.endpoint, new byte[] {1}, PostFlags.SIGNALED);
      Await.until("the last send", () -> side.endpoint.outstanding() == 0, side::poll, side::toString);
    }, side -> {
      shared.complete(side.openRegion(64));
      Await.until("the end", () -> !side.messages.isEmpty(), side::poll, side::toString);
    });
    for (CompletableFuture<Void> end : others) {
      Duo.get(end);
    }
  }

  private static void registerAndClose(Domain domain, MemorySegment memory) {
    List<MemoryRegion> regions = new ArrayList<>();
    long end = System.nanoTime() + 300_000_000;
    while (System.nanoTime() < end) {
      for (int j = 0; j < 10; j++) {
        regions.add(domain.register(memory, ALL));
      }
      regions.forEach(MemoryRegion::close);
      regions.clear();
    }
  }

  @ContractTest
  default void aLimitOnRegionsIsNamed(Domain domain, Arena arena) {
    int limit = domain.limits().maxRegions();
    if (limit > 1000) {
      return;
    }
    ProviderException refused = assertFails(ProviderException.Reason.LIMIT, () -> {
      for (int i = 0; i <= limit; i++) {
        domain.register(arena.allocate(64, 8), ALL);
      }
    });
    assertTrue(refused.getMessage().contains(Integer.toString(limit)), refused.getMessage());
  }

  @ContractTest
  default void invalidKeyIsRefused(Domain domain) {
    assertFails(ProviderException.Reason.INVALID, () -> domain.remoteMemory(0, 64, new byte[0]));
  }

  @ContractTest
  default void remoteMemoryHasALengthAndClosesTwice(Domain domain, Arena arena) {
    try (MemoryRegion region = domain.register(arena.allocate(4096, 8), ALL)) {
      RemoteMemory remote = domain.remoteMemory(region.remoteAddress(), 100, region.remoteKey());
      assertEquals(100, remote.length());
      remote.close();
      remote.close();
    }
  }
}
