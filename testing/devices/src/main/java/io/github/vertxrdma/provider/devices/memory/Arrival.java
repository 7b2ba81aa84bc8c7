package io.github.vertxrdma.provider.devices.memory;

/** An item that one thread hands to the completion queue of another thread. */
@FunctionalInterface
interface Arrival {

  /** Takes effect. Called on the polling thread. */
  void arrive();

  /**
   * Called instead of {@link #arrive}, on the closing thread, if the queue was closed before. Does nothing by default, for items whose
   * waiters were ended by the close.
   */
  default void bounce() {
  }

  /** Reads the content from the sender's memory, if a {@link Courier} carries the item. @return false if the sender gave the item up */
  default boolean load() {
    return true;
  }

  /** Arrives without a queue, as what no processor takes part in. @return false if there is no receiver */
  default boolean arriveAtOnce() {
    throw new IllegalStateException("it has no queue");
  }

  /** Called when the fabric failed to carry the item. @param status the status of the completion */
  default void fail(int status) {
    bounce();
  }
}
