package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.base.Deadline;
import io.vertx.core.Completable;
import java.util.concurrent.RejectedExecutionException;

/** Request that waits for its reply or deadline. Confined to the event loop of its table. */
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

  /** Called when the message is posted or cannot be. */
  @Override
  public final void complete(Void done, Throwable cause) {
    if (cause != null) {
      link.sendFailed(this, cause);
    }
  }

  /** @throws IllegalArgumentException if the reply's body is invalid */
  final void answered(BusLink from, Received reply) {
    try {
      deliver(from, reply);
    } catch (RejectedExecutionException e) {
      // The caller's worker pool ended with its verticle.
    }
  }

  /** Called when no reply will come. */
  final void failed(Throwable cause) {
    try {
      deliverFailure(cause);
    } catch (RejectedExecutionException e) {
      // See above.
    }
  }

  abstract void deliver(BusLink from, Received reply);

  abstract void deliverFailure(Throwable cause);
}
