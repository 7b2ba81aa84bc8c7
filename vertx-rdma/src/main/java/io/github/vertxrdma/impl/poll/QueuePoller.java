package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;

/** Polls a completion queue for its user. Confined to the loop unless a method says otherwise. */
public interface QueuePoller {

  /** Requests a poll in this iteration of the loop or the next one. Not needed in {@link CompletionHandler#completions}. */
  void wake();

  /** Returns the time, read once for a few completions: reading the clock costs as much as a post. Called in turns. */
  default long nanoTime(Scheduler clock) {
    return clock.nanoTime();
  }

  /** Returns the address for {@link PeerWaker#open}. Empty if peers need not or cannot wake the loop. */
  byte[] wakeAddress();

  /** Changes the number of peers that cannot wake the loop. While there are any, a timer polls more often. */
  void unwakeable(int change);

  /** Changes the number of users that require the loop to poll and never sleep. */
  void busy(int change);

  /**
   * Stops polling. Thread-safe.
   *
   * @return completed on any thread after the last callback; then the queue may be closed
   */
  Future<Void> detach();
}
