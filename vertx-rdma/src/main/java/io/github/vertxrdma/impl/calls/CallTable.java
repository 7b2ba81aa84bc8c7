package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.netty.util.collection.LongObjectHashMap;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Calls of this side that wait for a reply, by id. Each has a deadline. Ids are numbered consecutively, so that a late reply matches no
 * other call. Confined to its event loop.
 */
public final class CallTable<C extends CallTable.PendingCall> {
  static final int MAX_CALLS = 65_535;

  private final Scheduler loop;
  private final int max;
  private final long idMask;
  private final IntFunction<Throwable> timeout;
  private final LongObjectHashMap<C> calls = new LongObjectHashMap<>();
  private long last;

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
   * @param idBits bits of an id on the wire
   * @param timeout returns the failure for a call without a reply after the given milliseconds
   */
  public CallTable(Scheduler loop, int max, int idBits, IntFunction<Throwable> timeout) {
    this.loop = loop;
    this.max = max;
    this.idMask = -1L >>> Long.SIZE - idBits;
    this.timeout = timeout;
  }

  public int size() {
    return calls.size();
  }

  public boolean isFull() {
    return size() >= max;
  }

  public long add(C call, long timeoutMillis) {
    do {
      last = last + 1 & idMask;
    } while (last == 0 || calls.containsKey(last));
    calls.put(last, call);
    call.table = this;
    call.id = last;
    call.timeoutMillis = (int) Math.min(timeoutMillis, Integer.MAX_VALUE);
    loop.deadlines().set(call, call.timeoutMillis, TimeUnit.MILLISECONDS);
    return call.id;
  }

  public C get(long id) {
    return calls.get(id);
  }

  /** Removes a call. @return false if it no longer waits */
  public boolean remove(PendingCall call) {
    if (calls.get(call.id) != call) {
      return false;
    }
    calls.remove(call.id);
    call.cancel();
    call.removed();
    return true;
  }

  /** Removes and fails matching calls, except those that handlers add meanwhile. */
  public void fail(Predicate<C> which, Throwable cause) {
    List<C> failed = calls.values().stream().filter(which).sorted(Comparator.comparingLong(call -> call.id)).toList();
    failed.forEach(this::remove);
    failed.forEach(call -> call.failed(cause));
  }

  /** Returns whether a write failed before any byte was sent, so that the peer has not begun the call. */
  public static boolean isUnsent(Throwable cause) {
    return cause instanceof RdmaException end && !end.isEffectUnknown()
      && (end.reason() == Reason.CONNECTION_LOST || end.reason() == Reason.CLOSED);
  }
}
