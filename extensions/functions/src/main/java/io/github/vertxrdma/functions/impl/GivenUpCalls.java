package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * Calls that were cancelled while their functions run, of one lease on one worker: their slots are free for others, so the holder could
 * start an unlimited number. The next lease gets the worker when none is left. Confined to the worker's event loop.
 */
final class GivenUpCalls {
  /** Maximum number of calls, in addition to four for each slot. */
  private static final int MOST = 256;
  /** Maximum bytes of their arguments, as a multiple of the lease's memory. */
  private static final long MOST_MEMORY = 4;

  private int calls;
  private long bytes;
  /** Completes when none is left; null if not requested. */
  private Promise<Void> none;

  /** Adds a call that the caller cancelled while its function runs or may still begin. */
  void add(Execution execution) {
    if (!execution.givenUp) {
      execution.givenUp = true;
      calls++;
      bytes += execution.bytes;
    }
  }

  /** Called when its function has ended, or will not begin. */
  void ended(Execution execution) {
    if (execution.givenUp) {
      execution.givenUp = false;
      calls--;
      bytes -= execution.bytes;
      if (calls == 0 && none != null) {
        Promise<Void> waiter = none;
        none = null;
        waiter.complete();
      }
    }
  }

  /** Completes when none is left. */
  Future<Void> none() {
    if (calls == 0) {
      return Future.succeededFuture();
    }
    if (none == null) {
      none = Promise.promise();
    }
    return none.future();
  }

  /** Returns whether no call of that lease may begin until some of them have ended. */
  boolean isFull(GrantedLease lease) {
    return calls >= MOST + 4 * lease.slots || bytes >= MOST_MEMORY * lease.memory;
  }

  @Override
  public String toString() {
    return calls + " calls with " + bytes + " bytes of arguments";
  }
}
