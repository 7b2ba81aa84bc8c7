package io.github.vertxrdma.provider.devices.memory;

/** Something that one thread hands to the completion queue of another. */
interface Arrival {

  /** Runs on the polling thread. */
  void arrive();

  /** Runs instead, on the closing thread, if the queue closed before it got there. */
  void bounce();
}
