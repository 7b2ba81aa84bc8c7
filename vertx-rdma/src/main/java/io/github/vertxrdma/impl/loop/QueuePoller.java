package io.github.vertxrdma.impl.loop;

import io.vertx.core.Future;

/** Whoever polls a completion queue, as its user sees it. Confined to the loop, except where a method says so. */
public interface QueuePoller {

  /**
   * Asks for a turn, and so a {@link CompletionHandler#turnEnd}: in this step of the loop or the next one. Not needed within a handler's
   * {@code completions}; within {@code turnEnd} it asks for another turn.
   */
  void wake();

  /** Address by which peers on this host wake the loop ({@link PeerWaker#open}); empty if they need not, or cannot. */
  byte[] wakeAddress();

  /** Counts peers that post without being able to wake the loop: while there are any, the queue is polled by time. @param change of it */
  void unwakeable(int change);

  /** Counts those who want the loop to poll and never sleep. @param change of their number */
  void busy(int change);

  /** Stops polling. Any thread. @return completed, on any thread, when no callback comes any more: the queue may be closed */
  Future<Void> detach();
}
