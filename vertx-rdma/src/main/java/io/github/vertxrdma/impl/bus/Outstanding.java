package io.github.vertxrdma.impl.bus;

import io.vertx.core.Completable;
import java.util.concurrent.TimeUnit;

/** A request that waits for its answer. Confined to the event loop of its table. */
abstract class Outstanding implements Completable<Void> {
  int id;
  long deadline;
  int timeoutMillis;
  /** The connection it went over; null while there is none. */
  BusLink link;

  /** When it was added to the table, as {@link System#nanoTime} has it: waiting for a connection is part of how long it takes. */
  final long startedNanos() {
    return deadline - TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

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
