package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.base.Deadline;
import io.vertx.core.Completable;
import java.util.concurrent.RejectedExecutionException;

/** A request that waits for its answer, and its deadline. Confined to the event loop of its table. */
abstract class Outstanding extends Deadline implements Completable<Void> {
  OutstandingTable table;
  int id;
  int timeoutMillis;
  /** Connection in use, or null. */
  BusLink link;

  @Override
  protected final void expired() {
    table.expired(this);
  }

  /** Its message was handed to the fabric, or not. */
  @Override
  public final void complete(Void done, Throwable cause) {
    if (cause != null) {
      link.refused(this, cause);
    }
  }

  /** @throws IllegalArgumentException if the reply's body is invalid */
  final void answered(BusLink from, Received reply) {
    try {
      tellAnswer(from, reply);
    } catch (RejectedExecutionException e) {
      // The caller's worker pool ended with its verticle.
    }
  }

  /** Called when no reply will come. */
  final void failed(Throwable cause) {
    try {
      tellFailure(cause);
    } catch (RejectedExecutionException e) {
      // As above.
    }
  }

  /** Passes the reply to the caller. */
  abstract void tellAnswer(BusLink from, Received reply);

  /** Fails the caller. */
  abstract void tellFailure(Throwable cause);
}
