package io.github.vertxrdma.impl.loop;

/**
 * When an event loop that found nothing polls on, and when it sleeps. One for each loop, used on its thread. Times are those of
 * {@link System#nanoTime()}. Events are completions, events of sockets, and turns in which tasks or timers waited.
 */
interface PollPolicy {
  /** Choices after a few polls. */
  enum Next {
    /** Polls again at once. */
    POLL,
    /** Lets other threads that can run have the core, then polls again. */
    YIELD,
    /** Polls no more. */
    SLEEP
  }

  /**
   * Returns whether to poll on, now that the loop found nothing. If it returns true, {@link #ends} follows.
   *
   * @param events number of events of the loop so far
   * @param expecting whether operations of its own are under way whose end wakes no sleeper
   */
  boolean begins(long now, long events, boolean expecting);

  /** Returns whether it also polls in loops without completion queues, whose sockets take a system call for each look. */
  default boolean pollsSocketsAlone() {
    return true;
  }

  /** Returns what follows a few polls that found nothing. */
  Next next(long now, long events);

  /** Returns whether it lets the loop sleep without polling, as far as it knows. */
  default boolean sleepsAtOnce() {
    return false;
  }

  /** Polling on has ended. */
  default void ends(long now) {
  }

  /** The loop is about to sleep. */
  default void sleeps(long now) {
  }

  /** The loop has slept. */
  default void wakes(long now) {
  }
}
