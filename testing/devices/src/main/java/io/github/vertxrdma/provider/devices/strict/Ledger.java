package io.github.vertxrdma.provider.devices.strict;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts a queue's receives and the messages in flight for them. The strictest fabric breaks the connection of a message without a receive.
 * Both ends' threads change the counts.
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

    /** Removes a message from the count that arrived or was not sent. */
    void release() {
      if (number.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        ledger.claimed.decrementAndGet();
      }
    }

    /** Removes all messages from the count when the connection has ended. */
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
