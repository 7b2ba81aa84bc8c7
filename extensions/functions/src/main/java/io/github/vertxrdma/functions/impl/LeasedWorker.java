package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;

/** A worker as seen by its server: in this process, or in its own. */
interface LeasedWorker {

  /** Returns the address to which its callers connect. */
  String name();

  /** Assigns it to a lease. @return its functions, as soon as callers can connect */
  Future<JsonArray> assign(GrantedLease granted);

  /** Called when the lease has ended. @return completes when its holder was notified, its memory is freed and its time is accounted */
  Future<Void> release(GrantedLease ended, String why);

  /** Completes when nothing runs on its core, including functions that it began earlier. */
  Future<Void> idle();

  /** Updates the lease's row. */
  Future<Void> account(GrantedLease of);

  /** Returns the worker whose core it uses. */
  Worker core();
}
