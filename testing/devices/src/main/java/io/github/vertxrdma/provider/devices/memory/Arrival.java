package io.github.vertxrdma.provider.devices.memory;

/** An item that one thread hands to another thread's completion queue. */
@FunctionalInterface
interface Arrival {

  /** Called on the polling thread. */
  void arrive();

  /** Called on the closing thread instead of {@link #arrive} if the queue was closed before. */
  default void bounce() {
  }

  /**
   * Reads the content when a {@link Courier} carries the item.
   *
   * @return false if the sender gave the item up
   */
  default boolean load() {
    return true;
  }

  /**
   * Delivers an item that names no queue: executes a remote access, or puts a message into its receiver's queue.
   *
   * @return false if there is no receiver
   */
  default boolean arriveAtOnce() {
    throw new IllegalStateException("it has no queue");
  }

  /**
   * Called when the fabric failed to carry the item.
   *
   * @param status of the completion
   */
  default void fail(int status) {
    bounce();
  }
}
