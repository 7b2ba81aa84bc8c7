package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;

/** Receives the completions of a {@link CompletionPoller}, on its event loop. */
public interface CompletionHandler {

  void completions(CompletionBatch batch);

  /** Called at the end of each turn, also if it found nothing. */
  void turnEnd();

  /** Called when the queue cannot be armed, or polls have failed several times in a row; the poller has detached itself. */
  default void failed(Throwable cause) {
  }

  /** Called before the loop sleeps while own operations are in flight whose completion only the serving peers announce. */
  default void sleepsWaiting() {
  }

  /** Called when a peer sleeps until this side has served its operations. */
  default void peersWait() {
  }
}
