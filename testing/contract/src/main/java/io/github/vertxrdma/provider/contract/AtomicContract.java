package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.List;

public interface AtomicContract extends ContractFixture {

  @ContractTest
  default void fetchAddAndCompareSwapGiveTheOldValue() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion own = pair.a.openRegion(64);
      MemoryRegion peers = pair.b.openRegion(64);
      RemoteMemory remote = pair.a.remote(peers);
      if (!pair.a.domain().capabilities().can(Operation.FETCH_ADD)) {
        Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().fetchAdd(own, 0, remote, 0, 1));
      } else {
        peers.segment().set(ValueLayout.JAVA_LONG, 16, 0x1_0000_0000L);
        assertEquals(0x1_0000_0000L, fetchAdd(pair, own, remote, 16, 5));
        assertEquals(0x1_0000_0005L, fetchAdd(pair, own, remote, 16, -6));
        assertEquals(0xffff_ffffL, fetchAdd(pair, own, remote, 16, Long.MIN_VALUE));
        assertEquals(0xffff_ffffL + Long.MIN_VALUE, fetchAdd(pair, own, remote, 16, 0));
        assertEquals(0, fetchAdd(pair, own, remote, 24, 1), "the word beside it");
      }
      if (!pair.a.domain().capabilities().can(Operation.COMPARE_SWAP)) {
        Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().compareSwap(own, 0, remote, 0, 1, 2));
      } else {
        peers.segment().set(ValueLayout.JAVA_LONG, 32, 7);
        assertEquals(7, compareSwap(pair, own, remote, 32, 6, 9));
        assertEquals(7, compareSwap(pair, own, remote, 32, 7, -1));
        assertEquals(-1, compareSwap(pair, own, remote, 32, -1, Long.MAX_VALUE));
        assertEquals(Long.MAX_VALUE, compareSwap(pair, own, remote, 32, 0, 0));
      }
    }
  }

  private static long fetchAdd(Pair pair, MemoryRegion own, RemoteMemory remote, long at, long add) {
    long id = pair.a.post(new WorkRequest().fetchAdd(own, 8, remote, at, add));
    assertEquals(Operation.FETCH_ADD, pair.success(pair.a, id).operation());
    return own.segment().get(ValueLayout.JAVA_LONG, 8);
  }

  private static long compareSwap(Pair pair, MemoryRegion own, RemoteMemory remote, long at, long expected, long swap) {
    long id = pair.a.post(new WorkRequest().compareSwap(own, 8, remote, at, expected, swap));
    assertEquals(Operation.COMPARE_SWAP, pair.success(pair.a, id).operation());
    return own.segment().get(ValueLayout.JAVA_LONG, 8);
  }

  @ContractTest
  default void additionsOverTwoConnectionsAddUp() {
    if (!found().atomics()) {
      return;
    }
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion word = pair.b.openRegion(8);
      MemoryRegion results = pair.a.openRegion(8 * 64);
      RemoteMemory remote = pair.a.remote(word);
      Endpoint first = pair.left();
      pair.connect();
      Endpoint second = pair.left();
      int posted = 0;
      int done = 0;
      while (done < 1000) {
        assertTrue(pair.a.disconnected.isEmpty(), () -> "disconnected: " + pair.a.cause);
        for (Endpoint endpoint : List.of(first, second)) {
          if (posted < 1000) {
            int status = endpoint.post(
              new WorkRequest().fetchAdd(results, posted % 64 * 8L, remote, 0, 1).id(Side.nextId()).flags(PostFlags.SIGNALED));
            assertTrue(status == Status.OK || status == Status.AGAIN, () -> "posting an addition: " + Status.name(status));
            posted += status == Status.OK ? 1 : 0;
          }
        }
        pair.poll();
        done += pair.a.completions.size();
        pair.a.completions.clear();
      }
      assertEquals(1000, word.segment().get(ValueLayout.JAVA_LONG, 0));
    }
  }

  @ContractTest
  default void misalignedWordsAreRefused() {
    if (!found().atomics()) {
      return;
    }
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion own = pair.a.openRegion(64);
      MemoryRegion peers = pair.b.openRegion(64);
      RemoteMemory remote = pair.a.remote(peers);
      for (long at : new long[] {1, 4, 7, 57, 60, 64, -8}) {
        Side.assertPost(Status.REMOTE_RANGE, pair.left(), new WorkRequest().fetchAdd(own, 0, remote, at, 1));
        Side.assertPost(Status.REMOTE_RANGE, pair.left(), new WorkRequest().compareSwap(own, 0, remote, at, 1, 2));
      }
      for (long at : new long[] {-8, 57, 64}) {
        Side.assertPost(Status.LOCAL_RANGE, pair.left(), new WorkRequest().fetchAdd(own, at, remote, 0, 1));
      }
      assertEquals(0, pair.left().outstanding());
    }
  }
}
