package io.github.vertxrdma.provider.devices.memory;

/** Something that one thread hands to the completion queue of another. */
@FunctionalInterface
interface Arrival {

  /** Runs on the polling thread. */
  void arrive();

  /**
   * Runs instead, on the closing thread, if the queue closed before it got there. Nothing, where who closed it ended all that waits for
   * this.
   */
  default void bounce() {
  }

  /** Takes what it carries out of the sender's memory, with a {@link Courier}. @return false if it was given up meanwhile */
  default boolean load() {
    return true;
  }

  /** Arrives without a queue, as what no processor takes part in. @return false if nobody is there */
  default boolean arriveAtOnce() {
    throw new IllegalStateException("it has no queue");
  }

  /** The fabric failed to carry it. @param status of the completion */
  default void fail(int status) {
    bounce();
  }
}
