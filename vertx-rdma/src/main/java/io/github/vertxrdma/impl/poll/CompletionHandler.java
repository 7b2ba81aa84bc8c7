package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;

/** Receives the completions of a {@link CompletionPoller}, on its event loop. */
public interface CompletionHandler {

  void completions(CompletionBatch batch);

  /** Called at the end of each turn, even one without completions. */
  void turnEnd();

  /** Called when the queue cannot be armed, or polls have failed several times in a row; the poller has detached itself. */
  default void failed(Throwable cause) {
  }

  /** Called before the loop sleeps while operations are in flight whose completion only a wake-up by the peer announces. */
  default void sleepsWaiting() {
  }

  /** Called at the end of a turn if a peer sleeps until this side has served the peer's operations. */
  default void peersWait() {
  }
}
