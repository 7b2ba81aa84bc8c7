package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Reusable batch of completions, which the next {@link CompletionQueue#poll} overwrites. */
public final class CompletionBatch {
  private final long[] requestIds;
  private final int[] statuses;
  private final Operation[] operations;
  private final long[] lengths;
  private final long[] immediates;
  private final boolean[] hasImmediate;
  private final Endpoint[] endpoints;
  private final String[] errors;
  private final MemorySegment[] memories;
  private final long[] offsets;
  private int size;

  public CompletionBatch(int capacity) {
    requestIds = new long[capacity];
    statuses = new int[capacity];
    operations = new Operation[capacity];
    lengths = new long[capacity];
    immediates = new long[capacity];
    hasImmediate = new boolean[capacity];
    endpoints = new Endpoint[capacity];
    errors = new String[capacity];
    memories = new MemorySegment[capacity];
    offsets = new long[capacity];
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

  /** Empties the batch. References to endpoints stay until {@link #forget}. */
  public void clear() {
    cut(0);
  }

  /** Adds a completion without error or immediate. @return its index */
  public int add(long requestId, Operation operation, Endpoint endpoint, long length) {
    int i = size++;
    requestIds[i] = requestId;
    statuses[i] = Status.OK;
    // Assigns only changed references, to save write barriers.
    if (operations[i] != operation) {
      operations[i] = operation;
    }
    lengths[i] = length;
    hasImmediate[i] = false;
    if (endpoints[i] != endpoint) {
      endpoints[i] = endpoint;
    }
    offsets[i] = -1;
    return i;
  }

  public void immediate(int i, long immediate) {
    immediates[i] = immediate;
    hasImmediate[i] = true;
  }

  public void memory(int i, MemorySegment memory, long offset) {
    if (memories[i] != memory) {
      memories[i] = memory;
    }
    offsets[i] = offset;
  }

  public void error(int i, int status, String error) {
    statuses[i] = status;
    errors[i] = error;
  }

  public void set(int i, long requestId, Endpoint endpoint, long length) {
    requestIds[i] = requestId;
    endpoints[i] = endpoint;
    lengths[i] = length;
  }

  public void move(int from, int to) {
    requestIds[to] = requestIds[from];
    statuses[to] = statuses[from];
    operations[to] = operations[from];
    lengths[to] = lengths[from];
    immediates[to] = immediates[from];
    hasImmediate[to] = hasImmediate[from];
    endpoints[to] = endpoints[from];
    errors[to] = errors[from];
    memories[to] = memories[from];
    offsets[to] = offsets[from];
  }

  public void cut(int from) {
    for (int i = from; i < size; i++) {
      errors[i] = null;
    }
    size = from;
  }

  /** Drops the references to the endpoints of earlier completions. */
  public void forget() {
    Arrays.fill(endpoints, null);
  }

  /** Returns the posted id; -1 for an {@link Operation#REMOTE_WRITE} that consumed no receive. */
  public long requestId(int i) {
    return requestIds[i];
  }

  public int status(int i) {
    return statuses[i];
  }

  /** Returns the operation; null if the provider does not know which one failed. */
  public Operation operation(int i) {
    return operations[i];
  }

  /** Returns the number of received bytes, including {@link Capabilities#messagePrefix}. Only for {@link Operation#RECEIVE}. */
  public long length(int i) {
    return lengths[i];
  }

  public boolean hasImmediate(int i) {
    return hasImmediate[i];
  }

  public long immediate(int i) {
    return immediates[i];
  }

  /** Returns the endpoint; null for a shared receive that was flushed, or too short for an unknown sender's message. */
  public Endpoint endpoint(int i) {
    return endpoints[i];
  }

  /**
   * Returns the provider's memory with the message of a receive without memory; otherwise null. Valid until the next {@link
   * CompletionQueue#poll} or {@link CompletionQueue#arm}. The peer may change it meanwhile: read each byte once.
   */
  public MemorySegment memory(int i) {
    return offsets[i] < 0 ? null : memories[i];
  }

  /** Returns the message's offset in {@link #memory}; otherwise -1. */
  public long offset(int i) {
    return offsets[i];
  }

  public String error(int i) {
    return errors[i];
  }
}
