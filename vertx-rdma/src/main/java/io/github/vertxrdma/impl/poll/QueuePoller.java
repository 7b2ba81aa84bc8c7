package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;

/** Polls a completion queue. Confined to the loop unless noted. */
public interface QueuePoller {

  /** Requests a poll in this or the next iteration of the loop. Not needed in {@link CompletionHandler#completions}. */
  void wake();

  /** Returns the time of {@code clock}, read once for several completions, because readings are expensive. Called during polls. */
  default long nanoTime(Scheduler clock) {
    return clock.nanoTime();
  }

  /** Returns the address for {@link PeerWaker#open}. Empty if peers need not or cannot wake the loop. */
  byte[] wakeAddress();

  /** Changes the number of peers that cannot wake the loop. If it is positive, a timer polls more often. */
  void unwakeable(int change);

  /** Changes the number of users for which the loop must poll and never sleep. */
  void busy(int change);

  /**
   * Stops polling. Thread-safe.
   *
   * @return completed on any thread after the last callback; the queue may then be closed
   */
  Future<Void> detach();
}
