package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;

/** A worker at its server: in this process, or in a separate one. */
interface LeasedWorker {

  String name();

  /**
   * Assigns the worker to a lease.
   *
   * @param code jar for a separate process; null for none
   * @return the functions of the worker, when clients can connect
   */
  Future<JsonArray> assign(GrantedLease granted, Buffer code);

  /** Ends a lease. Completes when the client is notified, the memory is freed and the use is counted. */
  Future<Void> release(GrantedLease ended, String why);

  /** Completes when no function runs on the worker's core. */
  Future<Void> idle();

  Worker core();
}
