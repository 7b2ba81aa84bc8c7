package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.Pattern;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that a peer still maps when its region is closed: the peer's writes fail, and no process sees them. */
class ReclaimTest {
  private static final Set<Access> ALL = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
  /** More than one step of a copy, and no multiple of a page. */
  private static final int SIZE = (5 << 20) + 100;

  private final Pair pair = Pair.connected(ShmDeviceTest.device());
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    pair.close();
    arena.close();
  }

  private MemorySegment allocate(Set<Access> access) {
    return pair.b.domain().allocate(SIZE, access, arena);
  }

  private ShmRemoteMemory stale(MemorySegment memory, Set<Access> access) {
    try (MemoryRegion region = pair.b.domain().register(memory, access)) {
      ShmRemoteMemory remote = (ShmRemoteMemory) pair.a.remote(region);
      pair.left().post(new WorkRequest().read(pair.a.openRegion(8), 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
      pair.success(pair.a, 1);
      return remote;
    }
  }

  private boolean reclaim(MemorySegment memory) {
    return pair.b.domain().reclaim(memory, true);
  }

  @Test
  void reclaimedMemoryIsSeparateFromTheMappedOne() {
    MemorySegment memory = allocate(ALL);
    Pattern.fill(memory, 0, SIZE, 7);
    ShmRemoteMemory stale = stale(memory, ALL);
    assertTrue(reclaim(memory));
    stale.region().fill((byte) 1);
    Pattern.check(memory, 0, SIZE, 7);
    memory.fill((byte) 2);
    assertEquals(-1, stale.region().mismatch(MemorySegment.ofArray(filled((byte) 1))));
    assertNull(((ShmRegion) pair.b.domain().register(memory, ALL)).permit, "in a file that others have");
  }

  @Test
  void keptMappingShowsNoNewData() {
    Set<Access> readable = Set.of(Access.REMOTE_READ);
    MemorySegment memory = allocate(readable);
    memory.fill((byte) 3);
    ShmRemoteMemory stale = stale(memory, readable);
    assertTrue(reclaim(memory));
    memory.fill((byte) 4);
    assertEquals(-1, stale.region().mismatch(MemorySegment.ofArray(filled((byte) 3))));
  }

  private static byte[] filled(byte value) {
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, value);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE", "WRITE_IMMEDIATE", "READ", "FETCH_ADD", "COMPARE_SWAP"})
  void operationOnAClosedRegionDoesNotSucceed(Operation operation) {
    MemoryRegion mine = pair.a.openRegion(64);
    ShmRemoteMemory stale = stale(allocate(ALL), ALL);
    WorkRequest request = switch (operation) {
      case WRITE -> new WorkRequest().write(mine, 0, 8, stale, 0);
      case WRITE_IMMEDIATE -> new WorkRequest().write(mine, 0, 8, stale, 0).immediate(1);
      case READ -> new WorkRequest().read(mine, 0, 8, stale, 0);
      case FETCH_ADD -> new WorkRequest().fetchAdd(mine, 0, stale, 0, 1);
      default -> new WorkRequest().compareSwap(mine, 0, stale, 0, 0, 1);
    };
    pair.left().post(request.id(2).flags(PostFlags.SIGNALED));
    assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, 2).status());
  }

  @Test
  void reclaimLosesNoWritesOfOwnerThreads() throws Exception {
    MemorySegment memory = allocate(ALL);
    ShmRemoteMemory stale = stale(memory, ALL);
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong added = new AtomicLong();
    Thread adder = Thread.ofPlatform().start(() -> {
      for (long i = 0; !over.get(); i++) {
        long page = i % (SIZE / AnonymousFile.PAGE) * AnonymousFile.PAGE;
        Ring.LONG.getAndAdd(memory, page + 8, 1L);
        added.incrementAndGet();
      }
    });
    while (added.get() < 1000) {
      Thread.onSpinWait();
    }
    assertTrue(reclaim(memory));
    over.set(true);
    adder.join();
    long sum = 0;
    for (long page = 0; page + 16 <= SIZE; page += AnonymousFile.PAGE) {
      sum += memory.get(ValueLayout.JAVA_LONG, page + 8);
    }
    assertEquals(added.get(), sum);
    assertFalse(stale.isStillOpen());
  }

  @Test
  void releasedMemoryStaysInPlace() {
    MemorySegment memory = allocate(ALL);
    stale(memory, ALL).close();
    assertTrue(reclaim(memory));
    assertNotNull(((ShmRegion) pair.b.domain().register(memory, ALL)).permit);
  }

  @Test
  void memoryThatCannotBeMovedIsNot() {
    MemorySegment memory = allocate(ALL);
    ShmRemoteMemory stale = stale(memory, ALL);
    assertFalse(pair.b.domain().reclaim(memory, false));
    assertNull(((ShmRegion) pair.b.domain().register(memory, ALL)).permit, "while another has it");
    stale.close();
    assertTrue(pair.b.domain().reclaim(memory, false));
  }

  @Test
  void memoryThatIsWrittenIsLentOnceAtATime() {
    MemorySegment memory = allocate(ALL);
    try (MemoryRegion first = pair.b.domain().register(memory, ALL); MemoryRegion second = pair.b.domain().register(memory, ALL)) {
      assertNotNull(((ShmRegion) first).permit);
      assertNull(((ShmRegion) second).permit);
      MemoryRegion mine = pair.a.openRegion(64);
      mine.segment().fill((byte) 9);
      pair.left().post(new WorkRequest().write(mine, 0, 8, pair.a.remote(second), 0).id(2).flags(PostFlags.SIGNALED));
      pair.success(pair.a, 2);
      assertEquals(9, memory.get(ValueLayout.JAVA_BYTE, 0));
      ShmRemoteMemory open = (ShmRemoteMemory) pair.a.remote(first);
      pair.left().post(new WorkRequest().read(pair.a.openRegion(8), 0, 8, open, 0).id(1).flags(PostFlags.SIGNALED));
      pair.success(pair.a, 1);
      assertTrue(reclaim(memory));
      assertTrue(open.isStillOpen());
      assertEquals(9, open.region().get(ValueLayout.JAVA_BYTE, 0));
    }
  }
}
