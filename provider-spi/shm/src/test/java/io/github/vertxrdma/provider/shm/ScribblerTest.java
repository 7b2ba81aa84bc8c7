package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A peer writes anything into the shared pages during traffic: each connection continues or ends with a reason, the process lives, other
 * memory is unchanged, and a new connection works.
 */
@Tag("full")
class ScribblerTest {
  private static final long[] NUMBERS = {0, 1, -1, 7, 8, 16, 17, 24, 4096, 16_383, 16_384, Integer.MAX_VALUE, Integer.MIN_VALUE,
    Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 1L << 40};

  @Test
  void changedPagesOnlyEndConnectionsWithReason() {
    scribble(300, System.nanoTime(), false);
  }

  @Test
  @Tag("full")
  void concurrentlyChangedPagesOnlyEndConnectionsWithReason() {
    scribble(100, System.nanoTime(), true);
  }

  @Test
  @Tag("long")
  void pagesChangedTenThousandTimesOnlyEndConnectionsWithReason() {
    scribble(10_000, System.nanoTime(), false);
    scribble(2_000, System.nanoTime(), true);
  }

  private static void scribble(int rounds, long seed, boolean meanwhile) {
    SplittableRandom random = new SplittableRandom(seed);
    int ended = 0;
    for (int round = 0; round < rounds; round++) {
      try (Pair pair = Pair.connected(ShmDeviceTest.device(), options(round))) {
        ended += scribble(pair, random, meanwhile);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("round " + round + ", seed " + seed, e);
      }
    }
    assertTrue(ended > 0, "no scribble was noticed, seed " + seed);
  }

  private static PairOptions options(int round) {
    PairOptions options = new PairOptions().withSlots(8, 3000);
    return (round & 1) == 0 ? options : options.withReceivesInPlace();
  }

  private static int scribble(Pair pair, SplittableRandom random, boolean meanwhile) {
    MemoryRegion mine = pair.a.openRegion(4096);
    MemoryRegion theirs = pair.b.openRegion(4096);
    RemoteMemory remote = pair.a.remote(theirs);
    MemorySegment guard = pair.b.region(4096).segment().fill((byte) 0x33);
    pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED));
    pair.success(pair.a, 1);
    List<QueueLink> both = List.of(((ShmEndpoint) pair.left()).link(), ((ShmEndpoint) pair.right()).link());
    int steps = random.nextInt(1, 40);
    try (OtherProcessor other = meanwhile ? new OtherProcessor(both, random.split()) : null) {
      for (int i = 0; i < steps && over(pair) == null; i++) {
        post(pair, random, mine, remote);
        if (other != null) {
          other.awaitWrite();
        }
        // Each ring's file has the bytes of one side and the read position of the other.
        for (int n = meanwhile ? 0 : random.nextInt(4); n > 0; n--) {
          QueueLink link = both.get(random.nextInt(2));
          if (!link.over) {
            write(link.output.memory(), random);
          }
        }
        if (random.nextInt(3) > 0) {
          pair.poll();
          pair.b.messages.clear();
        }
      }
    }
    for (int i = 0; i < 50 && over(pair) == null; i++) {
      pair.poll();
    }
    assertEquals(-1, guard.mismatch(MemorySegment.ofArray(filled())));
    Endpoint over = over(pair);
    if (over != null) {
      ProviderException cause = over.failure();
      assertTrue(cause != null && cause.getMessage().startsWith("shm: "), String.valueOf(cause));
    }
    pair.left().close();
    pair.right().close();
    assertEquals(0, pair.left().outstanding());
    assertEquals(0, pair.right().outstanding());
    pair.b.messages.clear();
    try (Pair fresh = Pair.connected(ShmDeviceTest.device())) {
      fresh.a.send(fresh.left(), Pattern.bytes(5, 100), PostFlags.SIGNALED);
      Pattern.check(fresh.message(fresh.b).data(), 100, 5);
    }
    return over == null ? 0 : 1;
  }

  private static void post(Pair pair, SplittableRandom random, MemoryRegion mine, RemoteMemory remote) {
    if (pair.left().outstanding() >= pair.left().sendDepth()) {
      return;
    }
    switch (random.nextInt(6)) {
      case 0 -> pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(2).flags(0));
      case 2 -> pair.a.sendClaimed(pair.left(), new byte[random.nextInt(3000)]);
      case 1 -> pair.left().post(new WorkRequest().fetchAdd(mine, 0, remote, 8, 1).id(2).flags(0));
      default -> pair.left().post(new WorkRequest().send(mine, 0, random.nextInt(3000)).id(2).flags(0));
    }
  }

  /** Writes to both rings as a concurrent peer does, in mappings of its own, which outlive the rings. */
  private static final class OtherProcessor implements AutoCloseable {
    private static final int MREMAP_MAYMOVE = 1;
    private final List<MemorySegment> rings;
    private final Thread thread;
    private volatile boolean enough;
    private volatile long writes;

    OtherProcessor(List<QueueLink> links, SplittableRandom random) {
      rings = links.stream().map(link -> again(link.output.memory())).toList();
      thread = Thread.ofPlatform().start(() -> {
        while (!enough) {
          write(rings.get(random.nextInt(2)), random);
          writes++;
        }
      });
    }

    /** Maps the pages of a shared mapping once more: mremap(2) of no bytes. */
    private static MemorySegment again(MemorySegment ring) {
      long address = Calls.pointer(Downcall.libc("mremap"), ring.address(), 0, ring.byteSize(), MREMAP_MAYMOVE);
      assertTrue(address != -1, "mremap failed");
      return Memory.segment(address, ring.byteSize());
    }

    /** On a busy machine the thread may not run at all while a connection lasts. */
    void awaitWrite() {
      long before = writes;
      while (writes == before) {
        Thread.yield();
      }
    }

    @Override
    public void close() {
      enough = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      rings.forEach(ring -> SystemCalls.unmap(ring.address(), ring.byteSize()));
    }
  }

  private static byte[] filled() {
    byte[] bytes = new byte[4096];
    java.util.Arrays.fill(bytes, (byte) 0x33);
    return bytes;
  }

  private static Endpoint over(Pair pair) {
    return !pair.a.disconnected.isEmpty() ? pair.left() : !pair.b.disconnected.isEmpty() ? pair.right() : null;
  }

  private static void write(MemorySegment shared, SplittableRandom random) {
    long size = shared.byteSize();
    switch (random.nextInt(4)) {
      case 0 -> shared.set(ValueLayout.JAVA_LONG, Ring.HEAD, number(random));
      case 1 -> shared.set(ValueLayout.JAVA_INT, random.nextLong(Ring.DATA / 4, Ring.DATA / 4 + 1024) * 4, (int) number(random));
      case 2 -> shared.set(ValueLayout.JAVA_INT, random.nextLong(size / 4) * 4, (int) number(random));
      default -> {
        long at = random.nextLong(size - 64);
        for (int i = 0; i < 64; i++) {
          shared.set(ValueLayout.JAVA_BYTE, at + i, (byte) random.nextInt());
        }
      }
    }
  }

  private static long number(SplittableRandom random) {
    return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong();
  }
}
