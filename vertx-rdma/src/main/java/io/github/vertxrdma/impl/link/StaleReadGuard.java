package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.LoopEndpoints;
import io.github.vertxrdma.impl.poll.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Delays a message read from the peer's memory until the peer confirms that its link was open at most {@link #COVERED_NANOS} before the
 * read. Over shared endpoints or mapped memory, a read succeeds even after the peer closed the link, see docs/protocol.adoc.
 */
final class StaleReadGuard {
  /** Time from a PING until which its PONG confirms reads. Half of {@code KEPT_MILLIS}, to allow for different clocks. */
  static final long COVERED_NANOS = TimeUnit.MILLISECONDS.toNanos(LoopEndpoints.KEPT_MILLIS / 2);
  /** Age of the last answered PING at which the next one is sent, so that reads rarely wait. */
  static final long RENEWED_NANOS = COVERED_NANOS / 2;

  private final Scheduler scheduler;
  private final Consumer<Runnable> pinger;
  private final Runnable confirmed;
  private boolean known;
  private long knownAt;
  private boolean pinging;

  /**
   * @param pinger sends a PING, and runs a task when the peer has answered it
   * @param confirmed called after each answer, when the peer may have confirmed more reads
   */
  StaleReadGuard(Scheduler scheduler, Consumer<Runnable> pinger, Runnable confirmed) {
    this.scheduler = scheduler;
    this.pinger = pinger;
    this.confirmed = confirmed;
  }

  void renew() {
    long now = scheduler.nanoTime();
    if (!known || now - knownAt > RENEWED_NANOS) {
      sendPing(now);
    }
  }

  /** Returns whether the peer has confirmed a read at this time. Otherwise sends a PING. */
  boolean covers(long readAt) {
    if (known && readAt - knownAt < COVERED_NANOS) {
      return true;
    }
    sendPing(scheduler.nanoTime());
    return false;
  }

  private void sendPing(long now) {
    if (!pinging) {
      pinging = true;
      pinger.accept(() -> {
        pinging = false;
        known = true;
        knownAt = now;
        confirmed.run();
      });
    }
  }
}
