package io.github.vertxrdma.impl.link;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Whether the peer's memory was still this link's when a message was read from it. Where endpoints are shared a key is valid beyond the end
 * of a link, and a peer may end one that this side takes for open: this process stood still for long, or what tells of deaths was wrong. A
 * read that comes later gets what the memory holds by then. So a peer keeps the memory of an ended link as it is for
 * {@link #KEPT_MILLIS}, and what was read is delivered only if an answer of the link shows that it was open less than that before. Nothing
 * but this side's own clock counts. Confined to the loop.
 */
final class SourceLease {
  /** How long the source memory of a link that ended stays as it is; part of the protocol. */
  static final long KEPT_MILLIS = 1_000;
  /** For how long after a question its answer covers reads; the rest is for clocks that differ. */
  static final long COVERED_NANOS = TimeUnit.MILLISECONDS.toNanos(KEPT_MILLIS / 2);
  /** Asked again before it is needed, so that reads seldom wait for the answer. */
  static final long RENEWED_NANOS = COVERED_NANOS / 2;

  private final LongSupplier clock;
  private final IntSupplier asker;
  private boolean known;
  /** When the last question was asked that is answered: the link was open at the peer then, or later. */
  private long knownAt;
  private boolean asking;
  private long askedAt;
  private int question;

  /**
   * @param clock as {@link System#nanoTime}
   * @param asker asks the peer and returns the number of the question
   */
  SourceLease(LongSupplier clock, IntSupplier asker) {
    this.clock = clock;
    this.asker = asker;
  }

  /** A read is about to begin. */
  void renew() {
    long now = clock.getAsLong();
    if (!known || now - knownAt > RENEWED_NANOS) {
      ask(now);
    }
  }

  /** Whether what had been read by then was the link's. If that is not known yet, the peer has been asked. */
  boolean covers(long readAt) {
    if (known && readAt - knownAt < COVERED_NANOS) {
      return true;
    }
    ask(clock.getAsLong());
    return false;
  }

  private void ask(long now) {
    if (!asking) {
      asking = true;
      askedAt = now;
      question = asker.getAsInt();
    }
  }

  /** So many questions are answered. @return whether the last one of this lease is */
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
