package io.github.vertxrdma.provider;

public record Completion(long requestId, int status, Operation operation, long length, boolean hasImmediate, long immediate,
  Endpoint endpoint, String error) {

  public static Completion of(CompletionBatch batch, int i) {
    return new Completion(batch.requestId(i), batch.status(i), batch.operation(i), batch.length(i), batch.hasImmediate(i),
      batch.hasImmediate(i) ? batch.immediate(i) : 0, batch.endpoint(i), batch.error(i));
  }

  public static Completion of(long requestId, Operation operation, Endpoint endpoint, int status, String error) {
    return new Completion(requestId, status, operation, 0, false, 0, endpoint, error);
  }

  public boolean ok() {
    return status == Status.OK;
  }

  public void addTo(CompletionBatch batch) {
    int i = batch.add(requestId, operation, endpoint, length);
    if (hasImmediate) {
      batch.immediate(i, immediate);
    }
    if (!ok()) {
      batch.error(i, status, error);
    }
  }

  @Override
  public String toString() {
    return operation + " " + Long.toHexString(requestId) + ' ' + Status.name(status) + (error == null ? "" : " (" + error + ')')
      + (hasImmediate ? " immediate " + Long.toHexString(immediate) : "") + (operation == Operation.RECEIVE ? " of " + length : "");
  }
}
