package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.device.Afterlife;
import io.github.vertxrdma.impl.loop.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Proof that the peer's memory was still this link's when a message was read from it. Where endpoints are shared, or memory is mapped, it
 * can be read beyond the end of a link, and a peer may end one that this side takes for open: this process stood still for long, or what
 * tells of deaths was wrong. A read that comes later gets what the memory holds by then. So a peer keeps the memory of an ended link as it
 * is for {@link Afterlife#KEPT_MILLIS}, and what was read is delivered only if an answer of the link shows that it was open less than that
 * before. Nothing but this side's own clock counts. Confined to the loop.
 */
final class StaleReadGuard {
  /** Time after a question for which its answer covers reads; the rest is for clocks that differ. */
  static final long COVERED_NANOS = TimeUnit.MILLISECONDS.toNanos(Afterlife.KEPT_MILLIS / 2);
  /** Time after which the next question is asked, so that reads seldom wait for the answer. */
  static final long RENEWED_NANOS = COVERED_NANOS / 2;

  private final Scheduler scheduler;
  private final IntSupplier asker;
  private boolean known;
  /** When the last question was asked that is answered: the link was open at the peer then, or later. */
  private long knownAt;
  private boolean asking;
  private long askedAt;
  private int question;

  /** @param asker asks the peer and returns the number of the question */
  StaleReadGuard(Scheduler scheduler, IntSupplier asker) {
    this.scheduler = scheduler;
    this.asker = asker;
  }

  /** Asks in time, before a read begins. */
  void renew() {
    long now = scheduler.nanoTime();
    if (!known || now - knownAt > RENEWED_NANOS) {
      ask(now);
    }
  }

  /** Tells whether what had been read by then was the link's. If that is not known yet, the peer is asked. */
  boolean covers(long readAt) {
    if (known && readAt - knownAt < COVERED_NANOS) {
      return true;
    }
    ask(scheduler.nanoTime());
    return false;
  }

  private void ask(long now) {
    if (!asking) {
      asking = true;
      askedAt = now;
      question = asker.getAsInt();
    }
  }

  /** Counts answers. @return true if the last question is among those answered */
  boolean answered(int answers) {
    if (!asking || answers - question < 0) {
      return false;
    }
    asking = false;
    known = true;
    knownAt = askedAt;
    return true;
  }
}
