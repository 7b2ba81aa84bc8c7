package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;

/** Environment of the links of a loop. */
public interface LoopHost extends Scheduler {

  ContextInternal context();

  /** @return completed on the loop, or after its end */
  <T> Future<T> blocking(Callable<T> work);

  Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler);
}
