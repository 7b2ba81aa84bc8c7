package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkRequestTest {
  private final MemoryRegion region = new AbstractMemoryRegion(Arena.ofAuto().allocate(100), Set.of(Access.LOCAL_WRITE)) {
    @Override
    protected boolean isOpen() {
      return true;
    }

    @Override
    public long remoteAddress() {
      return 0;
    }

    @Override
    public byte[] remoteKey() {
      return new byte[0];
    }

    @Override
    public void close() {
    }
  };
  private final RemoteMemory remote = new AbstractRemoteMemory(100) {
  };
  private final ScatterGather list = new ScatterGather(2).add(region, 0, 10).add(region, 50, 20);
  private final WorkRequest request = new WorkRequest();

  private void check(Operation operation, long offset, long length, long remoteOffset, long operand, long swap) {
    assertEquals(operation, request.operation());
    assertEquals(offset, request.offset());
    assertEquals(length, request.length());
    assertEquals(remoteOffset, request.remoteOffset());
    assertEquals(operand, request.operand());
    assertEquals(swap, request.swap());
    assertEquals(0, request.id());
    assertEquals(0, request.flags());
    assertEquals(0, request.immediate());
  }

  @Test
  void fieldsThatADescriptionDoesNotNameAreReset() {
    request.compareSwap(region, 8, remote, 16, 3, 4).id(7).flags(PostFlags.SIGNALED);
    request.read(region, 1, 2, remote, 3);
    check(Operation.READ, 1, 2, 3, 0, 0);
    request.id(8).flags(PostFlags.FENCE);
    request.fetchAdd(region, 8, remote, 24, 5);
    check(Operation.FETCH_ADD, 8, Long.BYTES, 24, 5, 0);
    request.write(list, remote, 9).immediate(77).id(9).flags(PostFlags.MORE);
    assertEquals(Operation.WRITE_IMMEDIATE, request.operation());
    request.send(region, 4, 5);
    check(Operation.SEND, 4, 5, 0, 0, 0);
    assertNull(request.list());
    assertNull(request.remote());
    request.send(list);
    check(Operation.SEND, 0, 30, 0, 0, 0);
    assertNull(request.region());
    request.clear();
    check(Operation.SEND, 0, 0, 0, 0, 0);
    assertNull(request.list());
  }

  @Test
  void copyIsEqualAndIndependent() {
    request.write(list, remote, 9).immediate(77).id(9).flags(PostFlags.MORE);
    WorkRequest copy = new WorkRequest().set(request);
    request.clear();
    assertEquals(Operation.WRITE_IMMEDIATE, copy.operation());
    assertSame(list, copy.list());
    assertSame(remote, copy.remote());
    assertEquals(30, copy.length());
    assertEquals(9, copy.remoteOffset());
    assertEquals(77, copy.immediate());
    assertEquals(9, copy.id());
    assertEquals(PostFlags.MORE, copy.flags());
  }

  @Test
  void readsAndAtomicsHaveNoImmediateAndNoList() {
    request.read(region, 0, 8, remote, 0);
    assertThrows(IllegalStateException.class, () -> request.immediate(1));
    assertThrows(IllegalStateException.class, () -> request.local(list));
    request.fetchAdd(region, 0, remote, 0, 1);
    assertThrows(IllegalStateException.class, () -> request.immediate(1));
    assertThrows(IllegalStateException.class, () -> request.local(list));
  }

  @Test
  void rangesAreCoveredUpToTheirEnd() {
    long[][] wrong = {{-1, 10}, {0, -1}, {91, 10}, {101, 0}, {0, 101}, {Long.MAX_VALUE, 1}, {1, Long.MAX_VALUE}};
    for (long[] range : wrong) {
      assertFalse(region.covers(range[0], range[1]), range[0] + " for " + range[1]);
      assertFalse(remote.covers(range[0], range[1]), range[0] + " for " + range[1]);
    }
    assertTrue(region.covers(90, 10) && remote.covers(90, 10) && region.covers(100, 0) && remote.covers(0, 0));
    remote.close();
    assertFalse(remote.covers(0, 0), "closed");
  }
}
