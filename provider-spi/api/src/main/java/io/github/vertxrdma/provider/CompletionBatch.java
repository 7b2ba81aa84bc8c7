package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * Reusable batch of drained completions: parallel arrays, filled by a provider and read by the poller, without allocation. Valid until the
 * next {@link CompletionQueue#poll} with it.
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
  private final MemorySegment[] memories;
  /** Offset in the memory of an entry; -1 for an entry without memory. */
  private final long[] offsets;
  private int size;

  /** @param capacity maximum number of entries of one poll */
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

  /** Removes all entries. */
  public void clear() {
    cut(0);
  }

  /**
   * For providers: adds a completion without error or immediate.
   *
   * @return its index
   */
  public int add(long requestId, Operation operation, Endpoint endpoint, long length) {
    int i = size++;
    requestIds[i] = requestId;
    statuses[i] = Status.OK;
    operations[i] = operation;
    lengths[i] = length;
    hasImmediate[i] = false;
    endpoints[i] = endpoint;
    offsets[i] = -1;
    return i;
  }

  /** For providers: sets the immediate of entry i. */
  public void immediate(int i, long immediate) {
    immediates[i] = immediate;
    hasImmediate[i] = true;
  }

  /** For providers: sets the memory and offset of the message of entry i, whose receive was posted without memory. */
  public void memory(int i, MemorySegment memory, long offset) {
    // A reference is written only if it changes: the garbage collector's write barrier costs more than the comparison.
    if (memories[i] != memory) {
      memories[i] = memory;
    }
    offsets[i] = offset;
  }

  /**
   * For providers: makes entry i an error.
   *
   * @param error the library's text, with its number; off the hot path, so it may allocate
   */
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

  /** For layers between provider and application: moves entry {@code from} to the place of entry {@code to}. */
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

  /** For layers between provider and application: removes the entries from an index on. */
  public void cut(int from) {
    for (int i = from; i < size; i++) {
      endpoints[i] = null;
      errors[i] = null;
    }
    size = from;
  }

  /** Returns the request id of the post. For {@link Operation#REMOTE_WRITE} without a consumed receive it is {@code -1}. */
  public long requestId(int i) {
    return requestIds[i];
  }

  /** Returns {@link Status#OK} or a positive status. */
  public int status(int i) {
    return statuses[i];
  }

  /** Returns the operation that completed. With an error status some providers do not know it; then it is null. */
  public Operation operation(int i) {
    return operations[i];
  }

  /** Returns the received bytes, with the prefix. Meaningful for {@link Operation#RECEIVE} only. */
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
   * Returns the endpoint of the operation; with a shared receive queue, the endpoint from whose peer the message came. Null only for shared
   * receives that were flushed when their queue closed, or whose message did not fit on a fabric that does not report the sender.
   */
  public Endpoint endpoint(int i) {
    return endpoints[i];
  }

  /**
   * Returns the memory with the message of a receive that was posted without memory, starting at {@link #offset}. It belongs to the fabric,
   * which reuses it in the next {@link CompletionQueue#poll} or {@link CompletionQueue#arm}. The peer may change its bytes until then: read
   * each once.
   *
   * @return null for a receive that has its own memory
   */
  public MemorySegment memory(int i) {
    return offsets[i] < 0 ? null : memories[i];
  }

  /** Returns the offset of the message in {@link #memory}; -1 without memory. */
  public long offset(int i) {
    return offsets[i];
  }

  /** Returns the library's text for an error status, otherwise null. */
  public String error(int i) {
    return errors[i];
  }
}
