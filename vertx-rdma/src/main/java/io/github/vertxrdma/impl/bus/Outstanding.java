package io.github.vertxrdma.impl.bus;

import io.vertx.core.Completable;
import java.util.concurrent.RejectedExecutionException;

/** A request that waits for its answer. Confined to the event loop of its table. */
abstract class Outstanding implements Completable<Void> {
  int id;
  long deadline;
  int timeoutMillis;
  /** The connection it went over; null while there is none. */
  BusLink link;

  /** Its message was handed to the fabric, or not. */
  @Override
  public final void complete(Void done, Throwable cause) {
    if (cause != null) {
      link.refused(this, cause);
    }
  }

  /** The answer came. @throws IllegalArgumentException if its body is none */
  final void answered(BusLink from, Received reply) {
    try {
      tellAnswer(from, reply);
    } catch (RejectedExecutionException e) {
      // The worker pool of whoever asked ended with its verticle: nobody is left to hear.
    }
  }

  /** There will be no answer. */
  final void failed(Throwable cause) {
    try {
      tellFailure(cause);
    } catch (RejectedExecutionException e) {
      // Nobody is left to hear here either.
    }
  }

  /** Tells whoever asked of the answer. */
  abstract void tellAnswer(BusLink from, Received reply);

  /** Tells whoever asked that there will be none. */
  abstract void tellFailure(Throwable cause);
}
