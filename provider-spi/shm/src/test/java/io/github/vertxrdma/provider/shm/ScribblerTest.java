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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A peer that writes anything into the pages it shares, while there is traffic: each connection goes on or ends with a reason, the process
 * lives, memory that is not shared is as it was, and a new connection works.
 */
class ScribblerTest {
  private static final long[] NUMBERS = {0, 1, -1, 7, 8, 16, 17, 24, 4096, 16_383, 16_384, Integer.MAX_VALUE, Integer.MIN_VALUE,
    Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 1L << 40};

  @Test
  void scribblesEndConnectionsByNameOrNotAtAll() {
    scribble(400, System.nanoTime());
  }

  @Test
  @Tag("long")
  void tenThousandRoundsOfScribbles() {
    scribble(10_000, System.nanoTime());
  }

  private static void scribble(int rounds, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int ended = 0;
    for (int round = 0; round < rounds; round++) {
      try (Pair pair = Pair.connected(ShmDeviceTest.device(), new PairOptions().withSlots(8, 3000))) {
        ended += scribble(pair, random);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("round " + round + ", seed " + seed, e);
      }
    }
    assertTrue(ended > 0, "no scribble was noticed, seed " + seed);
  }

  /** @return 1 if it ended the connection */
  private static int scribble(Pair pair, SplittableRandom random) {
    MemoryRegion mine = pair.a.openRegion(4096);
    MemoryRegion theirs = pair.b.openRegion(4096);
    RemoteMemory remote = pair.a.remote(theirs);
    MemorySegment guard = pair.b.region(4096).segment().fill((byte) 0x33);
    pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED));
    pair.success(pair.a, 1);
    // What a writes to b, and what b tells a of its reading, lie in one file; a ring that was full goes on in another.
    Peering peering = ((ShmEndpoint) pair.left()).peering();
    int steps = random.nextInt(1, 40);
    for (int i = 0; i < steps && over(pair) == null; i++) {
      if (random.nextInt(4) > 0) {
        int length = random.nextInt(3000);
        if (pair.left().outstanding() < pair.left().sendDepth()) {
          pair.left().post(new WorkRequest().send(mine, 0, length).id(2).flags(0));
        }
      }
      for (int n = random.nextInt(4); n > 0 && !peering.isOver(); n--) {
        write(peering.output().memory(), random);
      }
      if (random.nextInt(3) > 0) {
        pair.poll();
        pair.b.messages.clear();
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
    pair.b.messages.clear();
    // The ring that was scribbled on may go on, or stand still; a queue of its own is nobody's business.
    try (Pair fresh = Pair.connected(ShmDeviceTest.device())) {
      fresh.a.send(fresh.left(), Pattern.bytes(5, 100), PostFlags.SIGNALED);
      Pattern.check(fresh.message(fresh.b).data(), 100, 5);
    }
    return over == null ? 0 : 1;
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
