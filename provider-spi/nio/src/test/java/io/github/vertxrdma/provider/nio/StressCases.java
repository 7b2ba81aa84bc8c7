package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both sides on threads of their own send, write, read and add at random, with receives that are posted late. */
interface StressCases {

  Device device();
  int OPERATIONS = 10_000;
  int LARGEST = 256 << 10;
  int RECEIVES = 8;
  int DEPTH = 32;

  @Test
  @Timeout(120)
  default void mixedOperationsRunInBothDirections() throws Exception {
    long seed = System.nanoTime();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(2);
    try (Pair pair = Pair.connected(device(), new PairOptions().withTwoDomains().withSlots(0, 64))) {
      MemoryRegion atA = pair.a.openRegion(LARGEST * 2L + 8);
      MemoryRegion atB = pair.b.openRegion(LARGEST * 2L + 8);
      Player a = new Player(pair.a, pair.left(), pair.a.remote(atB), seed, done, failure);
      Player b = new Player(pair.b, pair.right(), pair.b.remote(atA), seed + 1, done, failure);
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
    private final Endpoint endpoint;
    private final RemoteMemory remote;
    private final Random random;
    private final CountDownLatch done;
    private final AtomicReference<Throwable> failure;
    private final MemoryRegion source;
    private final MemoryRegion written;
    private final MemoryRegion read;
    private final MemoryRegion slots;
    private final CompletionBatch batch = new CompletionBatch(16);
    private int posted;
    private int completed;
    private int freeSlots = RECEIVES;
    Player other;
    int sent;
    int received;
    long added;

    Player(Side side, Endpoint endpoint, RemoteMemory remote, long seed, CountDownLatch done, AtomicReference<Throwable> failure) {
      this.side = side;
      this.endpoint = endpoint;
      this.remote = remote;
      this.done = done;
      this.failure = failure;
      random = new Random(seed);
      source = side.region((long) DEPTH * LARGEST);
      written = side.region(LARGEST);
      read = side.region(LARGEST, Access.READ_SINK);
      slots = side.region((long) RECEIVES * LARGEST, Access.LOCAL_WRITE);
    }

    @Override
    public void run() {
      try {
        while (completed < OPERATIONS) {
          if (posted < OPERATIONS && posted - completed < DEPTH - 2) {
            post();
          }
          if (freeSlots > 0 && random.nextInt(3) == 0) {
            freeSlots--;
            assertEquals(Status.OK, endpoint.receiveQueue().post(received + (RECEIVES - 1 - freeSlots), slots,
              (long) ((received + (RECEIVES - 1 - freeSlots)) % RECEIVES) * LARGEST, LARGEST));
          }
          poll();
          if (failure.get() != null) {
            return;
          }
        }
        done.countDown();
        while ((done.getCount() > 0 || received < other.sent) && failure.get() == null) {
          if (freeSlots > 0) {
            freeSlots--;
            endpoint.receiveQueue().post(received + (RECEIVES - 1 - freeSlots), slots,
              (long) ((received + (RECEIVES - 1 - freeSlots)) % RECEIVES) * LARGEST, LARGEST);
          }
          poll();
        }
      } catch (Throwable t) {
        failure.compareAndSet(null, t);
      }
    }

    private int length() {
      return (int) Math.exp(random.nextDouble() * Math.log(LARGEST));
    }

    private void post() {
      int length = length();
      int flags = PostFlags.SIGNALED | (random.nextInt(4) == 0 ? PostFlags.MORE : 0);
      int status;
      switch (random.nextInt(4)) {
        case 0 -> {
          long at = (long) (posted % DEPTH) * LARGEST;
          source.segment().asSlice(at, length).fill((byte) sent);
          status = endpoint.post(new WorkRequest().send(source, at, length).id(posted).flags(flags));
          assertEquals(Status.OK, status);
          sent++;
        }
        case 1 -> {
          status = endpoint.post(new WorkRequest().fetchAdd(read, 0, remote, LARGEST * 2L, length).id(posted).flags(flags));
          assertEquals(Status.OK, status);
          added += length;
        }
        default -> {
          if (posted - completed > 0) {
            endpoint.flush();
            return;
          }
          writeAndRead(length);
          return;
        }
      }
      posted++;
    }

    private void writeAndRead(int length) {
      int offset = random.nextInt(LARGEST - length + 1);
      written.segment().asSlice(offset, length).fill((byte) posted);
      assertEquals(Status.OK, endpoint.post(new WorkRequest().write(written, offset, length, remote, offset).id(posted++)));
      completed++;
      assertEquals(Status.OK, endpoint.post(new WorkRequest().read(read, 0, LARGEST, remote, 0).id(posted++).flags(PostFlags.SIGNALED)));
      while (completed < posted) {
        poll();
        if (failure.get() != null) {
          return;
        }
        if (freeSlots == RECEIVES) {
          freeSlots--;
          assertEquals(Status.OK, endpoint.receiveQueue().post(received, slots, (long) (received % RECEIVES) * LARGEST, LARGEST));
        }
      }
      assertEquals(-1, MemorySegment.mismatch(written.segment(), 8, LARGEST, read.segment(), 8, LARGEST));
    }

    private void poll() {
      int n = side.queue().poll(batch);
      for (int i = 0; i < n; i++) {
        assertEquals(Status.OK, batch.status(i), () -> batch.error(0));
        if (batch.operation(i) == Operation.RECEIVE) {
          long id = batch.requestId(i);
          assertEquals(received, id);
          long length = batch.length(i);
          MemorySegment data = slots.segment().asSlice(id % RECEIVES * LARGEST, length);
          for (long at = 0; at < length; at += 1 + length / 7) {
            assertEquals((byte) received, data.get(ValueLayout.JAVA_BYTE, at));
          }
          assertEquals((byte) received, data.get(ValueLayout.JAVA_BYTE, length - 1));
          received++;
          freeSlots++;
        } else {
          completed++;
        }
      }
    }
  }
}
