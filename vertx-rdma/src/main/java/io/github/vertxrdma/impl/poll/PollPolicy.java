package io.github.vertxrdma.impl.poll;

/**
 * Decides whether an event loop that found nothing polls or sleeps. One instance per loop, used on its thread. Times are those of {@link
 * System#nanoTime()}. Events are completions, socket events, and turns with waiting tasks or timers.
 */
interface PollPolicy {
  enum Next {
    POLL,
    YIELD,
    SLEEP
  }

  /**
   * Returns whether to poll. If true, stopPolling() is called later.
   *
   * @param events number of events so far
   * @param unannounced whether operations are in flight whose completion does not wake a sleeping loop
   */
  boolean startPolling(long now, long events, boolean unannounced);

  /** Returns whether loops without completion queues also poll. Each poll of their sockets is a system call. */
  default boolean pollsWithoutQueues() {
    return true;
  }

  Next next(long now, long events);

  default boolean sleepsAtOnce() {
    return false;
  }

  default void stopPolling(long now) {
  }

  default void beforeSleep(long now) {
  }

  default void afterSleep(long now) {
  }
}
