package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * Cancelled calls of one lease on one worker whose functions still run. Limited, because their slots are free for further calls. The worker
 * gets its next lease when none is left.
 */
final class AbandonedCalls {
  /** Limit of cancelled calls that still run, plus four for each slot. At the limit, new calls are refused. */
  private static final int MOST = 256;
  /** Maximum bytes of arguments of cancelled calls, as a multiple of the lease's memory. */
  private static final long MOST_MEMORY = 4;

  private int calls;
  private long bytes;
  private Promise<Void> none;

  void add(Execution execution) {
    if (!execution.abandoned) {
      execution.abandoned = true;
      calls++;
      bytes += execution.call.bytes();
    }
  }

  void ended(Execution execution) {
    if (execution.abandoned) {
      execution.abandoned = false;
      calls--;
      bytes -= execution.call.bytes();
      if (calls == 0 && none != null) {
        Promise<Void> waiter = none;
        none = null;
        waiter.complete();
      }
    }
  }

  Future<Void> none() {
    if (calls == 0) {
      return Future.succeededFuture();
    }
    if (none == null) {
      none = Promise.promise();
    }
    return none.future();
  }

  boolean isFull(GrantedLease lease) {
    return calls >= MOST + 4 * lease.request.slots() || bytes >= MOST_MEMORY * lease.request.memory();
  }

  @Override
  public String toString() {
    return calls + " calls with " + bytes + " bytes of arguments";
  }
}
