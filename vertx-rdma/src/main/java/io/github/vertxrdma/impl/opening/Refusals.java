package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.internal.logging.Logger;
import java.util.concurrent.TimeUnit;

/** Log of connections that were not made: one line a second, however many try. Confined to the loop. */
final class Refusals {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private final Scheduler scheduler;
  private boolean told;
  private long toldAt;
  private int untold;

  Refusals(Logger log, Scheduler scheduler) {
    this.log = log;
    this.scheduler = scheduler;
  }

  void tell(String what) {
    long now = scheduler.nanoTime();
    if (told && now - toldAt < PAUSE_NANOS) {
      untold++;
      return;
    }
    log.warn(untold == 0 ? what : what + " (and " + untold + " others since the last line)");
    told = true;
    toldAt = now;
    untold = 0;
  }
}
