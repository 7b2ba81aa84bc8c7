package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.impl.poll.CompletionHandler;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

record ClockedHost(LoopHost host, LongSupplier clock) implements LoopHost {

  @Override
  public long nanoTime() {
    return clock.getAsLong();
  }

  @Override
  public void execute(Runnable task) {
    host.execute(task);
  }

  @Override
  public boolean inLoop() {
    return host.inLoop();
  }

  @Override
  public Deadlines deadlines() {
    return host.deadlines();
  }

  @Override
  public RandomGenerator random() {
    return host.random();
  }

  @Override
  public ContextInternal context() {
    return host.context();
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    return host.blocking(work);
  }

  @Override
  public Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler) {
    return host.attach(queue, progress, handler);
  }
}
