package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/** A drained completion, kept for assertions. */
public record Completion(long requestId, int status, Operation operation, long length, boolean hasImmediate, long immediate,
  Endpoint endpoint, String error) {

  static Completion of(CompletionBatch batch, int i) {
    return new Completion(batch.requestId(i), batch.status(i), batch.operation(i), batch.length(i), batch.hasImmediate(i),
      batch.hasImmediate(i) ? batch.immediate(i) : 0, batch.endpoint(i), batch.error(i));
  }

  public boolean ok() {
    return status == Status.OK;
  }

  @Override
  public String toString() {
    return operation + " " + Long.toHexString(requestId) + ' ' + Status.name(status) + (error == null ? "" : " (" + error + ')')
      + (hasImmediate ? " immediate " + Long.toHexString(immediate) : "") + (operation == Operation.RECEIVE ? " of " + length : "");
  }
}
