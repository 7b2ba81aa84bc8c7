package io.github.vertxrdma.provider.devices.memory;

/** A message or connection event that one thread puts into the completion queue of another thread. */
@FunctionalInterface
interface Arrival {

  /** Called on the polling thread. */
  void arrive();

  /** Called instead of {@link #arrive} if the queue is closed. */
  default void bounce() {
  }

  /**
   * Reads the content from the sender's memory when a {@link Courier} delivers the item.
   *
   * @return false if the memory is no longer registered
   */
  default boolean load() {
    return true;
  }

  /**
   * Delivers an item without a target queue: executes a remote access, or puts a message into its receiver's queue.
   *
   * @return false if there is no receiver
   */
  default boolean arriveAtOnce() {
    throw new IllegalStateException("it has no queue");
  }

  /** Called if the item was lost. */
  default void fail(int status) {
    bounce();
  }
}
