package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;
import io.vertx.core.internal.ContextInternal;

/** Receives the completions of a {@link CompletionPoller}, on its event loop. */
public interface CompletionHandler {

  void completions(CompletionBatch batch);

  /** Returns a context of the loop, in which turns may run, or null. */
  default ContextInternal context() {
    return null;
  }

  /** Called at the end of each turn, even one without completions. */
  void turnEnd();

  /** Called after the queue was detached, since it has failed, cannot be armed, or failed in several polls in a row. */
  default void failed(Throwable cause) {
  }

  /** Called before the loop sleeps while operations are in flight whose completion does not wake it. Asks the peers to wake the loop. */
  default void sleepsWaiting() {
  }

  /** Called at the end of a turn if a peer sleeps until this side has served that peer's operations. */
  default void peersWait() {
  }
}
