package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;

/** A worker as seen by its server: in this process or in a separate one. */
interface LeasedWorker {

  String name();

  /** Assigns the worker to a lease. Returns its functions when callers can connect. */
  Future<JsonArray> assign(GrantedLease granted);

  /** Ends a lease. Completes when the holder was notified, the memory is freed and the time is accounted. */
  Future<Void> release(GrantedLease ended, String why);

  /** Completes when nothing runs on the worker's core, including functions of earlier leases. */
  Future<Void> idle();

  Future<Void> account(GrantedLease of);

  Worker core();
}
