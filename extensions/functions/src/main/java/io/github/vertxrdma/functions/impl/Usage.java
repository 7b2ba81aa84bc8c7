package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import java.util.stream.IntStream;

/** Times and invocations of a lease at a worker that are not yet in the lease's account. */
final class Usage {
  private final long[] amounts = new long[Accounts.ROW / Long.BYTES];

  void add(int counter, long amount) {
    amounts[counter / Long.BYTES] += amount;
  }

  /** Adds the amounts to the account. Drops those that timed out or lost the connection, since they may have been added. */
  Future<Void> account(OpenAccounts accounts, int row) {
    return accounts.region()
      .compose(region -> Future.join(IntStream.range(0, amounts.length).mapToObj(i -> account(region, row, i)).toList())).otherwiseEmpty()
      .mapEmpty();
  }

  private Future<Void> account(RemoteRegion accounts, int row, int i) {
    long amount = amounts[i];
    amounts[i] = 0;
    return Accounts.add(accounts, row, i * Long.BYTES, amount).onFailure(cause -> {
      if (!(cause instanceof RdmaException failed && (failed.reason() == Reason.TIMEOUT || failed.reason() == Reason.CONNECTION_LOST))) {
        amounts[i] += amount;
      }
    });
  }
}
