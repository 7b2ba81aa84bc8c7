package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.internal.logging.Logger;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

public final class Refusals {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<String> log;
  private final LongSupplier nanoTime;
  private boolean logged;
  private long loggedAt;
  private int suppressed;

  public Refusals(Logger log, LongSupplier nanoTime) {
    this(log::warn, nanoTime);
  }

  public Refusals(Consumer<String> log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  public synchronized void log(String what) {
    long now = nanoTime.getAsLong();
    if (logged && now - loggedAt < PAUSE_NANOS) {
      suppressed++;
      return;
    }
    String words = PeerText.of(what);
    log.accept(suppressed == 0 ? words : words + " (and " + suppressed + " similar ones since the last line)");
    logged = true;
    loggedAt = now;
    suppressed = 0;
  }
}
