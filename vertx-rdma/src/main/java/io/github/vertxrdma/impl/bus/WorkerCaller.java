package io.github.vertxrdma.impl.bus;

import io.vertx.core.Completable;
import java.util.concurrent.RejectedExecutionException;

/** Somebody on a worker thread who hears that a message was sent. @param promise of that thread's context */
record WorkerCaller(Completable<Void> promise) implements Completable<Void> {

  @Override
  public void complete(Void sent, Throwable cause) {
    try {
      promise.complete(sent, cause);
    } catch (RejectedExecutionException e) {
      // Its worker pool ended with its verticle: nobody is left to hear.
    }
  }
}
