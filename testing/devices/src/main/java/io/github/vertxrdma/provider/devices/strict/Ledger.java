package io.github.vertxrdma.provider.devices.strict;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Receives that are posted on a queue, less those that messages under way will take. A sender that finds none left sends into nothing,
 * which the strictest fabric answers by breaking the connection. Written by both ends' threads.
 */
final class Ledger {
  private final AtomicInteger posted = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();

  /** A connection's messages under way to a queue. */
  static final class Claims {
    private final Ledger ledger;
    private final AtomicInteger number = new AtomicInteger();

    Claims(Ledger ledger) {
      this.ledger = ledger;
    }

    /** Before a message is sent. @return false if no receive is left for it */
    boolean claim() {
      number.incrementAndGet();
      return ledger.claimed.incrementAndGet() <= ledger.posted.get();
    }

    /** It arrived, or was not sent after all. */
    void release() {
      if (number.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        ledger.claimed.decrementAndGet();
      }
    }

    /** The connection is over: nothing of it arrives any more. */
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
