package io.github.vertxrdma.provider.devices.strict;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the posted receives of a queue and the messages in flight to it, to detect a message without a receive. Changed by the threads of
 * both ends.
 */
final class Ledger {
  private final AtomicInteger posted = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();

  static final class Claims {
    private final Ledger ledger;
    private final AtomicInteger number = new AtomicInteger();

    Claims(Ledger ledger) {
      this.ledger = ledger;
    }

    /** Counts a message in flight. @return false if no receive is left for the message */
    boolean claim() {
      number.incrementAndGet();
      return ledger.claimed.incrementAndGet() <= ledger.posted.get();
    }

    /** Uncounts a message that arrived or was not sent. */
    void release() {
      if (number.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        ledger.claimed.decrementAndGet();
      }
    }

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
