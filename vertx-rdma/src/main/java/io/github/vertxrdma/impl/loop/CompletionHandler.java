package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.CompletionBatch;

/** Receiver of a {@link CompletionPoller}'s completions. Called on its event loop; connection events reach their own handlers there too. */
public interface CompletionHandler {

  /** Some completions. @param batch valid until this returns */
  void completions(CompletionBatch batch);

  /** The end of a turn, whether or not it found something: post what was collected, wake peers. It is cheap when there is nothing to do. */
  void turnEnd();

  /** The queue cannot be polled any more; the poller has detached itself. */
  default void failed(Throwable cause) {
  }

  /** The loop is about to sleep while operations of its own are under way, whose end only the peers that serve them can tell. */
  default void sleepsWaiting() {
  }

  /** A peer went to sleep waiting for what this side serves, which the poll before may have done. */
  default void peersWait() {
  }
}
