package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;

/** Waits for events of a sleeping queue, and wakes its poller. Confined to the loop unless noted. */
interface Waiter {

  /** Called before {@link #start}, not on the loop. Blocks. */
  default void prepare() throws Exception {
  }

  void start() throws Exception;

  /**
   * Prepares to sleep. Returns false if the queue must be polled again first.
   *
   * @param found whether the last poll found completions
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
   * @return completed on any thread; the poller is not called afterwards
   */
  Future<Void> stop();
}
