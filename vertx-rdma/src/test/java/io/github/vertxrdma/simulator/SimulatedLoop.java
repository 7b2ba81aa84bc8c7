package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.poll.CompletionHandler;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.simulator.world.VirtualLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;

public class SimulatedLoop extends VirtualLoop implements LoopHost {
  private ContextInternal context;

  public SimulatedLoop(VirtualTime time, long seed) {
    super(time, seed);
  }

  public void context(ContextInternal value) {
    context = value;
  }

  @Override
  public ContextInternal context() {
    return context;
  }

  @Override
  protected void dispatch(Runnable task) {
    ContextInternal current = context;
    ContextInternal previous = current == null ? null : current.beginDispatch();
    try {
      super.dispatch(task);
    } finally {
      if (current != null) {
        current.endDispatch(previous);
      }
    }
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    Promise<T> promise = Promise.promise();
    offload(work).whenComplete((result, failure) -> {
      if (failure == null) {
        promise.complete(result);
      } else {
        promise.fail(failure);
      }
    });
    return promise.future();
  }

  @Override
  public Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler) {
    Poller poller = poll(queue, handler::completions, handler::turnEnd);
    return Future.succeededFuture(new QueuePoller() {
      @Override
      public void wake() {
        poller.wake();
      }

      @Override
      public byte[] wakeAddress() {
        return new byte[0];
      }

      @Override
      public void unwakeable(int change) {
      }

      @Override
      public void busy(int change) {
      }

      @Override
      public Future<Void> detach() {
        poller.detach();
        return Future.succeededFuture();
      }
    });
  }
}
