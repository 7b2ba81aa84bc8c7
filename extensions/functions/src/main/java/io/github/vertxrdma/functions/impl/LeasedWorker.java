package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;

/** A worker as its server sees it: of this process, or a process of its own. */
interface LeasedWorker {

  /** The address that its callers connect to. */
  String name();

  /** Gives it to a lease. @return its functions, as soon as it can be connected to */
  Future<JsonArray> assign(GrantedLease granted);

  /** The lease is over. @return completes when its holder was told, nothing of its memory is left and its time is accounted */
  Future<Void> release(GrantedLease over, String why);

  /** Completes when nothing runs on its core, and no function that it began goes on. */
  Future<Void> idle();

  /** Brings the lease's row up to date. */
  Future<Void> account(GrantedLease of);

  /** The lease whose core it takes. */
  Worker core();
}
