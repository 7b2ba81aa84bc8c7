package io.github.vertxrdma.impl.loop;

/**
 * When an event loop that found nothing polls on, and when it sleeps. One for each loop, used on its thread. Times are those of
 * {@link System#nanoTime()}.
 */
public interface PollPolicy {

  /**
   * The loop found nothing.
   *
   * @param expecting whether operations of its own are under way whose end nothing tells a sleeper
   * @return false to sleep, true to poll on, until {@link #end} is called
   */
  boolean begin(long now, boolean expecting);

  /**
   * Whether it lets the loop sleep without polling, as far as it knows: then whoever wakes it may well have the same processor. One that
   * polls needs another than its peers.
   */
  default boolean sleepsAtOnce() {
    return false;
  }

  /** A few polls found nothing again. @return false to sleep */
  default boolean proceed(long now) {
    return false;
  }

  /**
   * Completions came and were handled, and then a few polls found nothing: as if it had ended, found something, and begun again.
   *
   * @param expecting as in {@link #begin}
   */
  default void again(long now, boolean expecting) {
  }

  /**
   * Polling on has ended.
   *
   * @param found whether it was worth it: completions ended it, and not sockets, tasks or the policy itself, or peers needed it
   */
  default void end(boolean found, long now) {
  }

  /** It is about to sleep. */
  default void sleeps(long now) {
  }

  /** It has slept, or handled completions without polling on. @param found whether completions came */
  default void woke(boolean found, long now) {
  }
}
