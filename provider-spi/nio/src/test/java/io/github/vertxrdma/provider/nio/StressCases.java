package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both sides on threads of their own send, write, read and add at random, with receives that are posted late. */
interface StressCases {
  int OPERATIONS = 10_000;
  int LARGEST = 256 << 10;
  int RECEIVES = 8;
  int DEPTH = 32;

  Device device();

  @Test
  @Timeout(120)
  default void mixedOperationsRunInBothDirections() throws Exception {
    long seed = System.nanoTime();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(2);
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSlots(RECEIVES, LARGEST))) {
      MemoryRegion atA = pair.a.openRegion(LARGEST * 2L + 8);
      MemoryRegion atB = pair.b.openRegion(LARGEST * 2L + 8);
      Player a = new Player(pair.a, pair.a.remote(atB), seed, done, failure);
      Player b = new Player(pair.b, pair.b.remote(atA), seed + 1, done, failure);
      a.other = b;
      b.other = a;
      Thread one = Thread.ofPlatform().start(a);
      Thread two = Thread.ofPlatform().start(b);
      one.join();
      two.join();
      assertNull(failure.get(), "seed " + seed);
      assertEquals(a.added, atB.segment().get(ValueLayout.JAVA_LONG, LARGEST * 2L), "seed " + seed);
      assertEquals(b.added, atA.segment().get(ValueLayout.JAVA_LONG, LARGEST * 2L), "seed " + seed);
      assertEquals(a.sent, b.received);
      assertEquals(b.sent, a.received);
    }
  }

  /** One side, which alone writes its half of the peer's region, and must read there what it wrote last. */
  final class Player implements Runnable {
    private final Side side;
    private final RemoteMemory remote;
    private final Random random;
    private final CountDownLatch done;
    private final AtomicReference<Throwable> failure;
    private final MemoryRegion source;
    private final MemoryRegion written;
    private final MemoryRegion read;
    private int posted;
    private int completed;
    Player other;
    int sent;
    int received;
    long added;

    Player(Side side, RemoteMemory remote, long seed, CountDownLatch done, AtomicReference<Throwable> failure) {
      this.side = side;
      this.remote = remote;
      this.done = done;
      this.failure = failure;
      random = new Random(seed);
      source = side.region((long) DEPTH * LARGEST);
      written = side.region(LARGEST);
      read = side.region(LARGEST, Access.READ_SINK);
    }

    @Override
    public void run() {
      try {
        while (completed < OPERATIONS && failure.get() == null) {
          if (posted < OPERATIONS && posted - completed < DEPTH - 2) {
            operation();
          }
          step();
        }
        done.countDown();
        while ((done.getCount() > 0 || received < other.sent) && failure.get() == null) {
          step();
        }
      } catch (Throwable t) {
        failure.compareAndSet(null, t);
      }
    }

    private void operation() {
      int length = (int) Math.exp(random.nextDouble() * Math.log(LARGEST));
      int flags = PostFlags.SIGNALED | (random.nextInt(4) == 0 ? PostFlags.MORE : 0);
      switch (random.nextInt(4)) {
        case 0 -> {
          long at = (long) (posted % DEPTH) * LARGEST;
          source.segment().asSlice(at, length).fill((byte) sent);
          post(new WorkRequest().send(source, at, length).flags(flags));
          sent++;
        }
        case 1 -> {
          post(new WorkRequest().fetchAdd(read, 0, remote, LARGEST * 2L, length).flags(flags));
          added += length;
        }
        default -> {
          if (posted > completed) {
            side.endpoint.flush();
          } else {
            writeAndRead(length);
          }
        }
      }
    }

    private void post(WorkRequest request) {
      assertEquals(Status.OK, side.endpoint.post(request.id(posted++)));
    }

    private void writeAndRead(int length) {
      int offset = random.nextInt(LARGEST - length + 1);
      written.segment().asSlice(offset, length).fill((byte) posted);
      post(new WorkRequest().write(written, offset, length, remote, offset));
      completed++;
      post(new WorkRequest().read(read, 0, LARGEST, remote, 0).flags(PostFlags.SIGNALED));
      while (completed < posted) {
        step();
        if (failure.get() != null) {
          return;
        }
      }
      // Additions write their results to the first word.
      assertEquals(-1, MemorySegment.mismatch(written.segment(), 8, LARGEST, read.segment(), 8, LARGEST));
    }

    /** Polls, and posts the receives of earlier messages in one of sixteen calls. */
    private void step() {
      side.reposting(random.nextInt(16) == 0);
      side.poll();
      for (Completion completion : side.completions) {
        assertTrue(completion.ok(), completion::toString);
      }
      completed += side.completions.size();
      side.completions.clear();
      for (Side.Message message; (message = side.messages.poll()) != null; received++) {
        byte[] expected = new byte[message.data().length];
        Arrays.fill(expected, (byte) received);
        assertArrayEquals(expected, message.data());
      }
    }
  }
}
