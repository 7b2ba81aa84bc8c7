package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.provider.MemoryRegion;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One registered slab out of which whole messages get memory, each in one piece: the first place from the start that is large enough, since
 * what was used last is still in the cache. Taking is confined to one thread; memory comes back on any. The slab is not freed before all of
 * it has come back.
 */
public final class RegisteredBufferPool {
  /** Pieces are a multiple of so many bytes. */
  public static final int UNIT = 4096;

  private final int units;
  private final BitSet used;
  /** Pieces that came back and may be taken again, linked by {@link RegisteredBuffer#next}. */
  private final AtomicReference<RegisteredBuffer> returned = new AtomicReference<>();
  /** Pieces that are taken, and one more until the pool is closed. */
  private final AtomicInteger owners = new AtomicInteger(1);
  private SlotPool.Slab slab;
  private boolean closed;

  /** @param bytes of its slab; 0 for none */
  public RegisteredBufferPool(int bytes) {
    units = bytes / UNIT;
    used = new BitSet(units);
  }

  /** Units of the slab that it is to be given. */
  public int units() {
    return units;
  }

  /** Gives it its slab; until then nothing can be taken. If it was closed meanwhile the slab is freed. */
  public void add(SlotPool.Slab registered) {
    if (closed) {
      registered.close();
      return;
    }
    slab = registered;
  }

  /** Tells whether it has its slab. */
  public boolean isOpen() {
    return slab != null;
  }

  /** Tells whether it will never have a slab again. */
  public boolean isClosed() {
    return closed;
  }

  /** Registered bytes. */
  public long size() {
    return slab == null ? 0 : slab.region().size();
  }

  /** The registered memory; once it {@link #isOpen}. */
  public MemoryRegion region() {
    return slab.region();
  }

  /** So many bytes, all of them readable and of any content; null if there is no room. */
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

  /** Takes memory back that nobody has any more. Any thread. */
  void back(RegisteredBuffer memory) {
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

  /** Pieces that are taken. Any thread. */
  public int taken() {
    return owners.get() - (closed ? 0 : 1);
  }

  /** Deregisters the slab: no operation may touch it any more. Its memory is freed when all pieces have come back. Idempotent. */
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
