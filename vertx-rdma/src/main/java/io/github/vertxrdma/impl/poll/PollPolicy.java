package io.github.vertxrdma.impl.poll;

/**
 * Decides whether an event loop without events polls or sleeps. Used by one loop, on its thread. Times are those of
 * {@link System#nanoTime()}. Events are completions, socket events, and iterations with waiting tasks or timers. By default a loop never
 * polls.
 */
interface PollPolicy {
  enum Next {
    POLL,
    YIELD,
    SLEEP
  }

  /**
   * Returns whether to poll. If so, stopPolling() is called later.
   *
   * @param events number of events so far
   * @param unannounced whether operations are in flight whose completion does not wake a sleeping loop
   */
  default boolean startPolling(long now, long events, boolean unannounced) {
    return false;
  }

  /** Returns whether loops without completion queues also poll. Each poll of their sockets is a system call. */
  default boolean pollsWithoutQueues() {
    return true;
  }

  default Next next(long now, long events) {
    return Next.SLEEP;
  }

  default boolean sleepsAtOnce() {
    return true;
  }

  default void stopPolling(long now) {
  }

  default void beforeSleep(long now) {
  }

  default void afterSleep(long now) {
  }
}
