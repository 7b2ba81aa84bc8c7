package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;

/** Wakes the poller of a sleeping queue. Confined to the event loop unless a method says otherwise. */
interface Waiter {

  /** Called before {@link #start}, not on the loop. Blocks. */
  default void prepare() throws Exception {
  }

  void start() throws Exception;

  /**
   * Prepares to sleep.
   *
   * @param found whether the last poll found completions
   * @return false if the queue has to be polled again first
   */
  boolean prepareSleep(boolean found);

  default void cancelSleep() {
  }

  default void pauseWakeups() {
  }

  long longestSleep();

  default byte[] wakeAddress() {
    return new byte[0];
  }

  default boolean takePosted() {
    return false;
  }

  default boolean takeWaiting() {
    return false;
  }

  default void unwakeable(int change) {
  }

  /**
   * Stops waiting, even after a failed start. Thread-safe before the start. Idempotent.
   *
   * @return completed on any thread, after which the poller is not called
   */
  Future<Void> stop();
}
