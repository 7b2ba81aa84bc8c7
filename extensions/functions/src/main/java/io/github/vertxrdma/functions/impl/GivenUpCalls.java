package io.github.vertxrdma.functions.impl;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * Calls that were given up while their functions go on, of one lease on one worker: their slots are free for others, and the holder could
 * begin ever more. The next lease gets the worker when there are none. On the worker's event loop.
 */
final class GivenUpCalls {
  /** Calls, beside four for each slot. */
  private static final int MOST = 256;
  /** Bytes of their arguments, as a multiple of the lease's memory. */
  private static final long MOST_MEMORY = 4;

  private int calls;
  private long bytes;
  /** Completes when there are none; null if nobody waits for that. */
  private Promise<Void> none;

  /** The caller gives it up, and its function goes on or may begin yet. */
  void add(Execution execution) {
    if (!execution.givenUp) {
      execution.givenUp = true;
      calls++;
      bytes += execution.bytes;
    }
  }

  /** Its function has ended, or will not begin. */
  void ended(Execution execution) {
    if (execution.givenUp) {
      execution.givenUp = false;
      calls--;
      bytes -= execution.bytes;
      if (calls == 0 && none != null) {
        Promise<Void> told = none;
        none = null;
        told.complete();
      }
    }
  }

  /** Completes when there are none. */
  Future<Void> none() {
    if (calls == 0) {
      return Future.succeededFuture();
    }
    if (none == null) {
      none = Promise.promise();
    }
    return none.future();
  }

  /** Whether no call of that lease is to begin until some of them have ended. */
  boolean isFull(GrantedLease lease) {
    return calls >= MOST + 4 * lease.slots || bytes >= MOST_MEMORY * lease.memory;
  }

  @Override
  public String toString() {
    return calls + " calls with " + bytes + " bytes of arguments";
  }
}
