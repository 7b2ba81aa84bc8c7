package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Message buffers in one registered slab. A buffer takes the first sufficient gap, to reuse memory that is in the processor's cache.
 * Buffers are taken on one thread and released on any.
 */
public final class RegisteredBufferPool {
  /** Granularity of buffers in bytes. */
  public static final int UNIT = 4096;

  private final int units;
  private final BitSet used;
  /** Released buffers, linked by {@link RegisteredBuffer#next}. */
  private final AtomicReference<RegisteredBuffer> returned = new AtomicReference<>();
  /** Number of buffers in use, plus one until the pool is closed. */
  private final AtomicInteger owners = new AtomicInteger(1);
  private SlotPool.Slab slab;
  private boolean closed;

  /** @param bytes of the slab; 0 for none */
  public RegisteredBufferPool(int bytes) {
    units = bytes / UNIT;
    used = new BitSet(units);
  }

  public int units() {
    return units;
  }

  public void add(SlotPool.Slab registered) {
    if (closed) {
      registered.close();
      return;
    }
    slab = registered;
  }

  public boolean isOpen() {
    return slab != null;
  }

  public boolean isClosed() {
    return closed;
  }

  public long size() {
    return slab == null ? 0 : slab.region().size();
  }

  public MemoryRegion region() {
    return slab.region();
  }

  /** @return a buffer with undefined content, or null if no gap is large enough */
  public RegisteredBuffer take(int size) {
    if (slab == null || closed) {
      return null;
    }
    RegisteredBuffer back = returned.getAndSet(null);
    while (back != null) {
      used.clear(back.first, back.first + units(back.size));
      RegisteredBuffer next = back.next;
      back.next = null;
      back = next;
    }
    int wanted = units(size);
    int from = used.nextClearBit(0);
    while (from + wanted <= units) {
      int to = used.nextSetBit(from);
      if (to < 0 || to - from >= wanted) {
        used.set(from, from + wanted);
        owners.incrementAndGet();
        return new RegisteredBuffer(this, from, size);
      }
      from = used.nextClearBit(to);
    }
    return null;
  }

  private static int units(int size) {
    return (Math.max(1, size) - 1) / UNIT + 1;
  }

  /** Thread-safe. */
  void release(RegisteredBuffer memory) {
    RegisteredBuffer next;
    do {
      next = returned.get();
      memory.next = next;
    } while (!returned.compareAndSet(next, memory));
    leave();
  }

  private void leave() {
    if (owners.decrementAndGet() == 0 && slab != null) {
      slab.arena().close();
    }
  }

  /** Thread-safe. */
  public int taken() {
    return owners.get() - (closed ? 0 : 1);
  }

  /** Deregisters the slab, which no operation may use any more. Its memory is freed when all buffers are released. Idempotent. */
  public void close() {
    if (!closed) {
      closed = true;
      if (slab != null) {
        slab.region().close();
      }
      leave();
    }
  }
}
