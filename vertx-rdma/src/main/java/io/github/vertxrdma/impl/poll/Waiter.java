package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;

/** Wakes the poller of a sleeping queue. Confined to the event loop unless a method says otherwise. */
interface Waiter {

  /** Acquires resources. Called before {@link #start}, not on the loop. Blocks. */
  default void prepare() throws Exception {
  }

  void start() throws Exception;

  /**
   * Prepares to sleep.
   *
   * @param found whether the last poll found something
   * @return false if the queue has to be polled again first
   */
  boolean prepareSleep(boolean found);

  default void cancelSleep() {
  }

  /** Called when wake-ups are not needed until {@link #prepareSleep}. */
  default void pauseWakeups() {
  }

  /** Returns the maximum nanoseconds of a sleep, {@link Long#MAX_VALUE} for no limit. */
  long longestSleep();

  default byte[] wakeAddress() {
    return new byte[0];
  }

  /** Returns whether peers posted operations for this side since the last call. */
  default boolean takePosted() {
    return false;
  }

  /** Returns whether peers went to sleep, since the last call, until this side has served their operations. */
  default boolean takeWaiting() {
    return false;
  }

  default void unwakeable(int change) {
  }

  /**
   * Stops waiting, also after a failed start. Any thread before the start. Idempotent.
   *
   * @return completed, on any thread, after the last call of the poller
   */
  Future<Void> stop();
}
