package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import io.github.vertxrdma.provider.Waiting;

/** The sockets of one completion queue, for which a thread that sleeps can wait together. */
public interface WaitSet {

  /** Something is due earlier than a sleeper knew of. */
  void disturb();

  /** See {@link io.github.vertxrdma.provider.CompletionQueue#fd()}; negative if the set calls its handler instead. */
  int fd();

  default Waiting waiting() {
    return fd() < 0 ? Waiting.WAKEUP : Waiting.FD;
  }

  default void wakeupHandler(Runnable handler) {
    // Its fd is watched.
  }

  /** See {@link io.github.vertxrdma.provider.CompletionQueue#offer}. */
  default void offer(DirectWatch watch) {
    // Its fd is watched.
  }

  void close();
}
