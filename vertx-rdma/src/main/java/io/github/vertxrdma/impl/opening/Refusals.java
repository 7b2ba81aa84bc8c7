package io.github.vertxrdma.impl.opening;

import io.vertx.core.internal.logging.Logger;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Log of what was refused: one line a second, however much is. Thread-safe. */
public final class Refusals {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private final LongSupplier nanoTime;
  private boolean told;
  private long toldAt;
  private int untold;

  public Refusals(Logger log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  public synchronized void tell(String what) {
    long now = nanoTime.getAsLong();
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
