package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Waiting;

/** The sockets of one completion queue, for which a thread that sleeps can wait together. */
public interface WaitSet {

  /** Something is due earlier than a sleeper knew of. */
  void disturb();

  Waiting waiting();

  /** See {@link io.github.vertxrdma.provider.CompletionQueue#fd()}. */
  int fd();

  void wakeupHandler(Runnable handler);

  void close();
}
