package io.github.vertxrdma.impl.bus;

import io.vertx.core.Completable;

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

  /** The answer came. */
  abstract void answered(BusLink from, Received reply);

  /** There will be no answer. */
  abstract void failed(Throwable cause);
}
