package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Checks at intervals how long peers have been silent. After a stall of this process or event loop, messages may be unread, so the silence
 * of each peer is measured again.
 */
public final class Liveness {
  private static final Logger LOG = LoggerFactory.getLogger(Liveness.class);

  public interface Watched {
    /** Checks the peer. @return whether to check again */
    boolean check(long now);

    void reset(long now);
  }

  private final Scheduler scheduler;
  private final int suspectMillis;
  private final long periodMillis;
  private final Set<Watched> watched = new LinkedHashSet<>();
  private final Deadline deadline = Deadline.of(this::checkAll);
  private long checkedAt;
  private long stalledAt;
  private long stallMillis;

  Liveness(Scheduler scheduler, LoopOptions options) {
    this.scheduler = scheduler;
    this.suspectMillis = options.suspectMillis();
    this.periodMillis = Math.max(50, suspectMillis / 4);
  }

  public long periodMillis() {
    return periodMillis;
  }

  public void watch(Watched link) {
    watched.add(link);
    if (!deadline.isSet()) {
      checkedAt = scheduler.nanoTime();
      schedule();
    }
  }

  public void forget(Watched link) {
    watched.remove(link);
  }

  private void schedule() {
    scheduler.deadlines().set(deadline, periodMillis, TimeUnit.MILLISECONDS);
  }

  private void checkAll() {
    long now = scheduler.nanoTime();
    boolean stalled = noteStall(now);
    checkedAt = now;
    for (Watched each : List.copyOf(watched)) {
      if (stalled) {
        each.reset(now);
      } else if (!isChecked(each, now)) {
        watched.remove(each);
      }
    }
    if (!watched.isEmpty()) {
      schedule();
    }
  }

  private static boolean isChecked(Watched each, long now) {
    try {
      return each.check(now);
    } catch (Throwable e) {
      LOG.error("cannot check a silent peer", e);
      return false;
    }
  }

  private boolean noteStall(long now) {
    long gap = TimeUnit.NANOSECONDS.toMillis(now - checkedAt);
    if (gap <= periodMillis * 2 + suspectMillis / 2) {
      return false;
    }
    stalledAt = now;
    stallMillis = gap;
    return true;
  }

  /** Returns the duration of a recent stall of this process or event loop in ms, or 0. */
  public long stallMillis() {
    long now = scheduler.nanoTime();
    if (!watched.isEmpty()) {
      noteStall(now);
    }
    return stallMillis > 0 && TimeUnit.NANOSECONDS.toMillis(now - stalledAt) < suspectMillis ? stallMillis : 0;
  }

  void stop() {
    deadline.cancel();
    watched.clear();
  }
}
