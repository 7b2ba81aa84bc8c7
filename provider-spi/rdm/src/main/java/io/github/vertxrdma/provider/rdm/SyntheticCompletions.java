package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;

/** Completions that the layer makes, or keeps, since the fabric will not give them: those of a raw endpoint that closes. */
final class SyntheticCompletions {

  private record Synthetic(long requestId, Operation operation, Endpoint endpoint, long length, boolean hasImmediate, long immediate,
    int status, String error) {
  }

  private final ArrayDeque<Synthetic> completions = new ArrayDeque<>();

  boolean isEmpty() {
    return completions.isEmpty();
  }

  /** An operation that ends with an error. */
  void add(long requestId, Operation operation, Endpoint endpoint, int status, String error) {
    completions.add(new Synthetic(requestId, operation, endpoint, 0, false, 0, status, error));
  }

  /** Keeps what was drained while nobody polls. */
  void keep(CompletionBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      completions.add(new Synthetic(batch.requestId(i), batch.operation(i), batch.endpoint(i), batch.length(i), batch.hasImmediate(i),
        batch.hasImmediate(i) ? batch.immediate(i) : 0, batch.status(i), batch.error(i)));
    }
  }

  void drain(CompletionBatch batch) {
    while (!completions.isEmpty() && !batch.isFull()) {
      Synthetic next = completions.poll();
      int i = batch.add(next.requestId, next.operation, next.endpoint, next.length);
      if (next.hasImmediate) {
        batch.immediate(i, next.immediate);
      }
      if (next.status != Status.OK) {
        batch.error(i, next.status, next.error);
      }
    }
  }
}
