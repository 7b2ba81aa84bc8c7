package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Operations pending on one link. One coarse timer looks after all of it, so that an operation costs neither a timer nor a look at the
 * clock: its time begins with the first tick that sees it. Confined to the loop.
 */
final class PendingTable {
  private static final long TICK_MILLIS = 10;
  /** A tick so late means that this process stood still: what came meanwhile is read before anything is called late. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Scheduler scheduler;
  private final LongObjectHashMap<Pending> table = new LongObjectHashMap<>();
  private long lastId;
  private long lastTick;
  private Deadline timer;

  PendingTable(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void add(Pending pending, long timeoutMillis) {
    pending.id = ++lastId;
    keep(pending, timeoutMillis);
  }

  /** Puts it back under the number it had, since its reply may still come. */
  void keep(Pending pending, long timeoutMillis) {
    pending.listed = true;
    pending.timeoutMillis = timeoutMillis;
    pending.timed = false;
    table.put(pending.id, pending);
    if (timer == null) {
      lastTick = scheduler.nanoTime();
      next();
    }
  }

  /** Takes it out; null if there is none of that id. */
  Pending take(long id) {
    Pending pending = table.remove(id);
    if (pending != null) {
      pending.listed = false;
    }
    return pending;
  }

  int size() {
    return table.size();
  }

  void remove(Pending pending) {
    if (pending.listed) {
      take(pending.id);
    }
  }

  private void next() {
    timer = scheduler.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    if (table.isEmpty()) {
      timer = null;
      return;
    }
    next();
    long now = scheduler.nanoTime();
    boolean paused = now - lastTick > PAUSE_NANOS;
    lastTick = now;
    if (paused) {
      return;
    }
    List<Pending> late = null;
    for (Pending pending : table.values()) {
      if (!pending.timed) {
        pending.timed = true;
        pending.deadline = now + TimeUnit.MILLISECONDS.toNanos(pending.timeoutMillis);
      } else if (pending.deadline - now <= 0) {
        if (late == null) {
          late = new ArrayList<>();
        }
        late.add(pending);
      }
    }
    if (late != null) {
      for (Pending pending : late) {
        if (pending.listed) {
          remove(pending);
          pending.lost(null);
        }
      }
    }
  }

  private void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** The link is over. */
  void fail(Throwable cause) {
    stop();
    List<Pending> all = new ArrayList<>(table.values());
    table.clear();
    for (Pending pending : all) {
      pending.listed = false;
      pending.lost(cause);
    }
    stop();
  }
}
