package io.github.vertxrdma.provider.devices.memory;

/** An item that one thread hands to another thread's completion queue. */
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
   * Delivers an item that names no queue: executes a remote access, or puts a message into its receiver's queue.
   *
   * @return false if there is no receiver
   */
  default boolean arriveAtOnce() {
    throw new IllegalStateException("it has no queue");
  }

  /** @param status status of the completion */
  default void fail(int status) {
    bounce();
  }
}
