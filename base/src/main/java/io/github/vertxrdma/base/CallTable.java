package io.github.vertxrdma.base;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Calls of this side that wait for a reply, by id. Each has a deadline. An id contains the call's index and a generation number, so that a
 * late reply matches no other call. Confined to the thread of its {@link Deadlines}.
 */
public final class CallTable<C extends CallTable.PendingCall> {
  /** Maximum number of calls in a table with ids of 32 bits. */
  public static final int MAX_CALLS = 65_535;

  private final Supplier<Deadlines> loop;
  private final LongSupplier clock;
  private final int max;
  private final int indexBits;
  private final long idMask;
  private final IntFunction<Throwable> timeout;
  @SuppressWarnings("unchecked")
  private C[] slots = (C[]) new PendingCall[16];
  private int[] free = new int[16];
  private int freeCount;
  private int used;
  private long generation;
  /** Null until the first call. */
  private Deadlines deadlines;

  /** Call that waits in a table until its deadline. */
  public abstract static class PendingCall extends Deadline {
    private CallTable<?> table;
    private long id;
    private int timeoutMillis;

    public final long id() {
      return id;
    }

    public final int timeoutMillis() {
      return timeoutMillis;
    }

    /** Returns the nanoseconds since the call was added. */
    public final long age() {
      return late() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** Returns the nanoseconds since the deadline. */
    protected final long late() {
      return table.clock.getAsLong() - at();
    }

    /** Moves the deadline to a time from now. */
    protected final void extend(long millis) {
      table.set(this, millis);
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
   * @param loop returns the deadlines of the calls; called once, with the first call
   * @param clock clock of the deadlines, or a reading of it that several completions share
   * @param max maximum number of calls, less than 2 to the power of half of the bits of an id
   * @param idBits bits of an id on the wire
   * @param timeout returns the failure for a call without a reply after the given milliseconds
   */
  public CallTable(Supplier<Deadlines> loop, LongSupplier clock, int max, int idBits, IntFunction<Throwable> timeout) {
    this.loop = loop;
    this.clock = clock;
    this.max = max;
    this.indexBits = idBits / 2;
    this.idMask = -1L >>> Long.SIZE - idBits;
    this.timeout = timeout;
  }

  public int size() {
    return used - freeCount;
  }

  public boolean isFull() {
    return size() >= max;
  }

  /** Adds a call. The table must not be full. */
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
    PendingCall added = call;
    slots[index] = call;
    added.table = this;
    added.id = (++generation << indexBits | index + 1) & idMask;
    added.timeoutMillis = (int) Math.min(timeoutMillis, Integer.MAX_VALUE);
    set(call, added.timeoutMillis);
    return added.id;
  }

  private void set(PendingCall call, long millis) {
    if (deadlines == null) {
      deadlines = loop.get();
    }
    deadlines.setAt(call, clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private int index(long id) {
    return (int) (id & (1L << indexBits) - 1) - 1;
  }

  /** Returns null if no call with this id waits. */
  public C get(long id) {
    int index = index(id);
    C call = index < 0 || index >= used ? null : slots[index];
    return call != null && call.id() == id ? call : null;
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

  /** Returns the matching calls. */
  public List<C> find(Predicate<C> which) {
    List<C> found = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      C call = slots[i];
      if (call != null && which.test(call)) {
        found.add(call);
      }
    }
    return found;
  }

  /** Removes and fails matching calls, except those that handlers add meanwhile. */
  public void fail(Predicate<C> which, Throwable cause) {
    List<C> failed = find(which);
    failed.forEach(this::remove);
    failed.forEach(call -> call.failed(cause));
  }
}
