package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;
import io.vertx.core.internal.ContextInternal;

/** Receives the completions of a {@link CompletionPoller}, on its event loop. */
public interface CompletionHandler {

  void completions(CompletionBatch batch);

  /** Returns the context in which polls may run, or null. */
  default ContextInternal context() {
    return null;
  }

  /** Called at the end of each poll, even without completions. */
  void turnEnd();

  /** Called after the queue was detached because it failed. */
  default void failed(Throwable cause) {
  }

  /** Called before the loop sleeps while operations are in flight whose completion does not wake it. Asks peers to wake the loop. */
  default void sleepsWaiting() {
  }

  /** Called at the end of a poll if a peer sleeps until this side has served its operations. */
  default void peersWait() {
  }
}
