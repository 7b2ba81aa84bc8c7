package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;

/** Event loop, worker threads and polling for links. */
public interface LoopHost extends Scheduler {

  ContextInternal context();

  /** @return completed on the loop, or on another thread if the loop has terminated */
  <T> Future<T> blocking(Callable<T> work);

  Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler);
}
