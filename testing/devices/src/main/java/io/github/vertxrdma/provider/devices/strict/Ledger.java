package io.github.vertxrdma.provider.devices.strict;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts of the receives of a queue, and of the messages in flight that will take them. A sender that finds no receive left sends a message
 * without a receive. The strictest fabric breaks the connection then. Both ends' threads change the counts.
 */
final class Ledger {
  private final AtomicInteger posted = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();

  /** The messages of one connection that are in flight to a queue. */
  static final class Claims {
    private final Ledger ledger;
    private final AtomicInteger number = new AtomicInteger();

    Claims(Ledger ledger) {
      this.ledger = ledger;
    }

    /** Counts a message that is about to be sent. @return false if no receive is left for the message */
    boolean claim() {
      number.incrementAndGet();
      return ledger.claimed.incrementAndGet() <= ledger.posted.get();
    }

    /** Discounts a message that arrived or was not sent. */
    void release() {
      if (number.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        ledger.claimed.decrementAndGet();
      }
    }

    /** Discounts all messages, since the connection has ended. */
    void clear() {
      ledger.claimed.addAndGet(-number.getAndSet(0));
    }
  }

  void posted() {
    posted.incrementAndGet();
  }

  void completed() {
    posted.decrementAndGet();
  }

  int outstanding() {
    return posted.get();
  }
}
