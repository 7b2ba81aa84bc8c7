package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;

/** A worker as seen by its server: in this process, or in its own. */
interface LeasedWorker {

  String name();

  /** Returns its functions, as soon as callers can connect. */
  Future<JsonArray> assign(GrantedLease granted);

  /** Completes when its holder was notified, its memory is freed and its time is accounted. */
  Future<Void> release(GrantedLease ended, String why);

  /** Completes when nothing runs on its core, including functions of earlier leases. */
  Future<Void> idle();

  Future<Void> account(GrantedLease of);

  Worker core();
}
