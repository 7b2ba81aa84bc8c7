package io.github.vertxrdma.impl.opening;

import io.vertx.core.internal.logging.Logger;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Log of refusals, with at most one line per second. Thread-safe. */
public final class Refusals {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<String> log;
  private final LongSupplier nanoTime;
  private boolean told;
  private long toldAt;
  private int untold;

  /** Makes a log of lines of level WARNING. */
  public Refusals(Logger log, LongSupplier nanoTime) {
    this(log::warn, nanoTime);
  }

  /** @param log writes a line */
  public Refusals(Consumer<String> log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  public synchronized void tell(String what) {
    long now = nanoTime.getAsLong();
    if (told && now - toldAt < PAUSE_NANOS) {
      untold++;
      return;
    }
    log.accept(untold == 0 ? what : what + " (and " + untold + " others since the last line)");
    told = true;
    toldAt = now;
    untold = 0;
  }
}
