package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Pending operations of one link. Deadlines count from the clock reading of the current poll. */
final class PendingTable {
  /** Extra time in ms after a deadline, in which the loop reads frames that arrived before the deadline. */
  private static final long LAST_MILLIS = 10;
  /** Delay of a deadline in ns beyond which the process counts as suspended, and may have unread frames. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final DeviceLoop loop;
  private final LongObjectHashMap<Pending> table = new LongObjectHashMap<>();
  private final Deadlines deadlines;
  private long lastId;

  PendingTable(DeviceLoop loop) {
    this.loop = loop;
    this.deadlines = loop.host.deadlines();
  }

  void add(Pending pending, long timeoutMillis) {
    pending.table = this;
    pending.id = ++lastId;
    keep(pending, timeoutMillis);
  }

  /** Adds an operation again under its previous id, to recognize a late reply. */
  void keep(Pending pending, long timeoutMillis) {
    pending.isLate = false;
    pending.timeoutMillis = timeoutMillis;
    table.put(pending.id, pending);
    deadlines.setAt(pending, loop.turn.nanoTime() + Math.min(TimeUnit.MILLISECONDS.toNanos(timeoutMillis), Long.MAX_VALUE / 2));
  }

  Pending take(long id) {
    Pending pending = table.remove(id);
    if (pending != null) {
      pending.cancel();
    }
    return pending;
  }

  int size() {
    return table.size();
  }

  void remove(Pending pending) {
    if (pending.isSet()) {
      take(pending.id);
    }
  }

  void expired(Pending pending) {
    if (!pending.isLate || loop.host.nanoTime() - pending.at() > PAUSE_NANOS) {
      pending.isLate = true;
      deadlines.set(pending, LAST_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      table.remove(pending.id);
      pending.lost(null);
    }
  }

  void fail(Throwable cause) {
    List<Pending> all = new ArrayList<>(table.values());
    table.clear();
    all.forEach(Pending::cancel);
    all.forEach(pending -> pending.lost(cause));
  }
}
