package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;

/** Everything that the links of a loop need of the world: a {@link Scheduler}, work off the loop, and somebody who polls their queue. */
public interface LoopHost extends Scheduler {

  /** Context of the loop, for applications on links; the links themselves do without. Any thread. */
  ContextInternal context();

  /** Runs what blocks off the loop. @return completes on the loop, or after its end */
  <T> Future<T> blocking(Callable<T> work);

  /**
   * Has a queue polled on the loop from now on.
   *
   * @param progress of the queue's domain; see {@link CompletionPoller#attach}
   * @return completes on the loop
   */
  Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler);
}
