package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import io.github.vertxrdma.provider.Waiting;

/** Sockets of one completion queue. */
public interface WaitSet {

  /** Called when a deadline is set, to end a sleep. */
  default void disturb() {
  }

  /** Returns the queue's file descriptor; negative if the set calls the wake-up handler instead. */
  default int fd() {
    return -1;
  }

  /**
   * @param millis until the next deadline; 0 for none
   * @return false if there may be something to poll
   */
  boolean arm(long millis);

  default Waiting waiting() {
    return fd() < 0 ? Waiting.WAKEUP : Waiting.FD;
  }

  default void wakeupHandler(Runnable handler) {
  }

  default void offer(DirectWatch watch) {
  }

  void close();
}
