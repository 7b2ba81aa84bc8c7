package io.github.vertxrdma.impl.loop;

import io.vertx.core.Future;

/** Tells the poller of a queue that there is something, while nobody polls. Confined to the event loop, except where it says so. */
interface Waiter {

  /** Takes what it listens to. Off the loop, before {@link #start}: it may touch the file system and wait for other threads. */
  default void prepare() throws Exception {
  }

  /** Begins to listen, unarmed. */
  void start() throws Exception;

  /**
   * Prepares to sleep.
   *
   * @param found whether the last poll, before the turn ended, found something
   * @return false if there may be something: poll again first
   */
  boolean settle(boolean found);

  /** The queue is being polled: nobody needs to wake it. */
  default void awake() {
  }

  /** The queue is polled all the time: nothing need wake its loop until {@link #settle}. */
  default void polled() {
  }

  /** The longest sleep in nanoseconds after which the queue is to be polled all the same; {@link Long#MAX_VALUE} without a limit. */
  long longestSleep();

  /** The address by which peers wake it, empty if they need none. */
  default byte[] wakeAddress() {
    return new byte[0];
  }

  /** Whether peers posted what needs this side's progress since it was asked last; false where they do not tell. */
  default boolean needed() {
    return false;
  }

  /** Whether peers went to sleep waiting for what this side serves since it was asked last; false where they do not tell. */
  default boolean waited() {
    return false;
  }

  /** So many more peers, or fewer, cannot wake it. */
  default void unwakeable(int change) {
  }

  /**
   * Stops listening; whatever it has come to. Any thread before the start. Idempotent.
   *
   * @return completed, on any thread, when no call comes
   */
  Future<Void> stop();
}
