package io.github.vertxrdma.provider;

/**
 * A reused view of drained completions: parallel arrays, filled by a provider and read by the poller, without allocation.
 * Valid until the next {@link CompletionQueue#poll} with it.
 */
public final class CompletionBatch {
  private final long[] requestIds;
  private final int[] statuses;
  private final Operation[] operations;
  private final long[] lengths;
  private final long[] immediates;
  private final boolean[] hasImmediate;
  private final Endpoint[] endpoints;
  private final String[] errors;
  private int size;

  /** @param capacity the most that one poll may drain */
  public CompletionBatch(int capacity) {
    requestIds = new long[capacity];
    statuses = new int[capacity];
    operations = new Operation[capacity];
    lengths = new long[capacity];
    immediates = new long[capacity];
    hasImmediate = new boolean[capacity];
    endpoints = new Endpoint[capacity];
    errors = new String[capacity];
  }

  public int capacity() {
    return requestIds.length;
  }

  public int size() {
    return size;
  }

  public boolean isFull() {
    return size == requestIds.length;
  }

  /** Forgets all entries. */
  public void clear() {
    for (int i = 0; i < size; i++) {
      endpoints[i] = null;
      errors[i] = null;
    }
    size = 0;
  }

  /** For providers: adds a completion without error or immediate; returns its index. */
  public int add(long requestId, Operation operation, Endpoint endpoint, long length) {
    int i = size++;
    requestIds[i] = requestId;
    statuses[i] = Status.OK;
    operations[i] = operation;
    lengths[i] = length;
    hasImmediate[i] = false;
    endpoints[i] = endpoint;
    return i;
  }

  /** For providers: gives entry i an immediate. */
  public void immediate(int i, long immediate) {
    immediates[i] = immediate;
    hasImmediate[i] = true;
  }

  /** For providers: makes entry i an error. @param error the library's words, with its number; off the hot path, so it may allocate */
  public void error(int i, int status, String error) {
    statuses[i] = status;
    errors[i] = error;
  }

  /** For layers between provider and application: changes entry i's request id, endpoint and length. */
  public void set(int i, long requestId, Endpoint endpoint, long length) {
    requestIds[i] = requestId;
    endpoints[i] = endpoint;
    lengths[i] = length;
  }

  /** For layers between provider and application: drops entry i by moving the later ones down. */
  public void remove(int i) {
    int rest = --size - i;
    System.arraycopy(requestIds, i + 1, requestIds, i, rest);
    System.arraycopy(statuses, i + 1, statuses, i, rest);
    System.arraycopy(operations, i + 1, operations, i, rest);
    System.arraycopy(lengths, i + 1, lengths, i, rest);
    System.arraycopy(immediates, i + 1, immediates, i, rest);
    System.arraycopy(hasImmediate, i + 1, hasImmediate, i, rest);
    System.arraycopy(endpoints, i + 1, endpoints, i, rest);
    System.arraycopy(errors, i + 1, errors, i, rest);
    endpoints[size] = null;
    errors[size] = null;
  }

  /** What the post carried. For {@link Operation#REMOTE_WRITE} without a consumed receive it is {@code -1}. */
  public long requestId(int i) {
    return requestIds[i];
  }

  /** {@link Status#OK} or a positive status. */
  public int status(int i) {
    return statuses[i];
  }

  /** What completed. With an error status some providers cannot tell; then it is null. */
  public Operation operation(int i) {
    return operations[i];
  }

  /** Bytes received, prefix included. Meaningful for {@link Operation#RECEIVE} only. */
  public long length(int i) {
    return lengths[i];
  }

  public boolean hasImmediate(int i) {
    return hasImmediate[i];
  }

  public long immediate(int i) {
    return immediates[i];
  }

  /**
   * Whose it is; for a shared receive queue, who it came from. Null only for shared receives that were flushed when their queue closed, or
   * whose message did not fit on a fabric that does not say who sent it.
   */
  public Endpoint endpoint(int i) {
    return endpoints[i];
  }

  /** The library's words for an error status; null otherwise. */
  public String error(int i) {
    return errors[i];
  }
}
