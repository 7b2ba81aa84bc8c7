package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks from time to time at peers whose silence is to be noticed, and whether this process or its event loop stood still meanwhile: then
 * what peers said is still to be read, and nobody is judged. Confined to the loop.
 */
public final class Liveness {
  private static final Logger LOG = LoggerFactory.getLogger(Liveness.class);

  /** Link whose peer is looked at. */
  public interface Watched {
    /** Judges the peer by how long it was silent. @param now as {@link Scheduler#nanoTime} @return whether it is to be looked at again */
    boolean check(long now);

    /** Begins to judge the peer anew. */
    void reset(long now);
  }

  private final Scheduler scheduler;
  private final int suspectMillis;
  private final long periodMillis;
  private final Set<Watched> watched = new LinkedHashSet<>();
  private final Deadline look = Deadline.of(this::look);
  private long lookedAt;
  private long stillAt;
  private long stillMillis;

  Liveness(Scheduler scheduler, LoopOptions options) {
    this.scheduler = scheduler;
    this.suspectMillis = options.suspectMillis();
    this.periodMillis = Math.max(50, suspectMillis / 4);
  }

  /** Milliseconds from one look to the next. */
  public long periodMillis() {
    return periodMillis;
  }

  public void watch(Watched link) {
    watched.add(link);
    if (!look.isSet()) {
      lookedAt = scheduler.nanoTime();
      next();
    }
  }

  public void forget(Watched link) {
    watched.remove(link);
  }

  private void next() {
    scheduler.deadlines().set(look, periodMillis, TimeUnit.MILLISECONDS);
  }

  private void look() {
    long now = scheduler.nanoTime();
    boolean still = noteStill(now);
    lookedAt = now;
    for (Watched each : List.copyOf(watched)) {
      if (still) {
        each.reset(now);
      } else if (!isChecked(each, now)) {
        watched.remove(each);
      }
    }
    if (!watched.isEmpty()) {
      next();
    }
  }

  /** @return whether it is to be looked at again */
  private static boolean isChecked(Watched each, long now) {
    try {
      return each.check(now);
    } catch (Throwable e) {
      LOG.error("A peer that was silent could not be looked at", e);
      return false;
    }
  }

  private boolean noteStill(long now) {
    long gap = TimeUnit.NANOSECONDS.toMillis(now - lookedAt);
    if (gap <= periodMillis * 2 + suspectMillis / 2) {
      return false;
    }
    stillAt = now;
    stillMillis = gap;
    return true;
  }

  /** Milliseconds for which this process or its event loop stood still a moment ago; 0 if it did not, or nobody is watched. */
  public long stoodStillMillis() {
    long now = scheduler.nanoTime();
    if (!watched.isEmpty()) {
      noteStill(now);
    }
    return stillMillis > 0 && TimeUnit.NANOSECONDS.toMillis(now - stillAt) < suspectMillis ? stillMillis : 0;
  }

  void stop() {
    look.cancel();
    watched.clear();
  }
}
