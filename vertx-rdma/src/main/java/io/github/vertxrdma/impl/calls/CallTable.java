package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.Scheduler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Calls of this side that wait for a reply, by id. Each has a deadline. An id contains the call's index and a generation number, so that a
 * late reply matches no other call. Confined to its event loop.
 */
public final class CallTable<C extends CallTable.PendingCall> {
  private static final int INDEX_BITS = 16;
  static final int MAX_CALLS = 65_535;

  private final Scheduler loop;
  private final int max;
  private final long idMask;
  private final IntFunction<Throwable> timeout;
  @SuppressWarnings("unchecked")
  private C[] slots = (C[]) new PendingCall[16];
  private int[] free = new int[16];
  private int freeCount;
  private int used;
  private long generation;

  /** Call that waits in a table until its deadline. */
  public abstract static class PendingCall extends Deadline {
    CallTable<?> table;
    long id;
    int timeoutMillis;

    public final long age() {
      return table.loop.nanoTime() - at() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    @Override
    protected void expired() {
      table.remove(this);
      failed(table.timeout.apply(timeoutMillis));
    }

    protected void removed() {
    }

    protected abstract void failed(Throwable cause);
  }

  /**
   * @param idBits bits of an id on the wire, more than 16
   * @param timeout returns the failure for a call without a reply after the given milliseconds
   */
  public CallTable(Scheduler loop, int max, int idBits, IntFunction<Throwable> timeout) {
    this.loop = loop;
    this.max = max;
    this.idMask = -1L >>> Long.SIZE - idBits;
    this.timeout = timeout;
  }

  public int size() {
    return used - freeCount;
  }

  public boolean isFull() {
    return size() >= max;
  }

  public long add(C call, long timeoutMillis) {
    int index;
    if (freeCount > 0) {
      index = free[--freeCount];
    } else {
      if (used == slots.length) {
        slots = Arrays.copyOf(slots, 2 * used);
        free = Arrays.copyOf(free, 2 * used);
      }
      index = used++;
    }
    slots[index] = call;
    call.table = this;
    call.id = (++generation << INDEX_BITS | index + 1) & idMask;
    call.timeoutMillis = (int) Math.min(timeoutMillis, Integer.MAX_VALUE);
    loop.deadlines().set(call, call.timeoutMillis, TimeUnit.MILLISECONDS);
    return call.id;
  }

  private static int index(long id) {
    return (int) (id & (1 << INDEX_BITS) - 1) - 1;
  }

  public C get(long id) {
    int index = index(id);
    C call = index < 0 || index >= used ? null : slots[index];
    return call != null && call.id == id ? call : null;
  }

  /** Removes a call. @return false if it no longer waits */
  public boolean remove(PendingCall call) {
    int index = index(call.id);
    if (slots[index] != call) {
      return false;
    }
    slots[index] = null;
    free[freeCount++] = index;
    call.cancel();
    call.removed();
    return true;
  }

  /** Removes and fails matching calls, except those that handlers add meanwhile. */
  public void fail(Predicate<C> which, Throwable cause) {
    List<C> failed = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      C call = slots[i];
      if (call != null && which.test(call)) {
        remove(call);
        failed.add(call);
      }
    }
    failed.forEach(call -> call.failed(cause));
  }

  /** Returns whether a write failed before any byte was sent, so that the peer has not begun the call. */
  public static boolean isUnsent(Throwable cause) {
    return cause instanceof RdmaException end && !end.isEffectUnknown()
      && (end.reason() == Reason.CONNECTION_LOST || end.reason() == Reason.CLOSED);
  }
}
