package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Completions for the next poll, in a ring that grows. During a poll, completions are added to its batch directly. */
public final class Completions {
  private long[] requestIds = new long[64];
  private int[] statuses = new int[64];
  private Operation[] operations = new Operation[64];
  private long[] lengths = new long[64];
  private long[] immediates = new long[64];
  private boolean[] hasImmediate = new boolean[64];
  private SoftwareEndpoint[] endpoints = new SoftwareEndpoint[64];
  private String[] errors = new String[64];
  private MemorySegment[] memories = new MemorySegment[64];
  private long head;
  private long tail;
  private CompletionBatch open;

  public int size() {
    return (int) (tail - head);
  }

  public long head() {
    return head;
  }

  public long tail() {
    return tail;
  }

  public void open(CompletionBatch batch) {
    open = batch;
  }

  public void add(long requestId, Operation operation, SoftwareEndpoint endpoint, long length) {
    if (open != null && head == tail && !open.isFull()) {
      open.add(requestId, operation, endpoint, length);
      head++;
      tail++;
      if (endpoint != null) {
        endpoint.drained(operation);
      }
    } else {
      entry(requestId, operation, endpoint, length, Status.OK, null);
    }
  }

  public void add(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, long immediate) {
    int i = entry(requestId, operation, endpoint, length, Status.OK, null);
    immediates[i] = immediate;
    hasImmediate[i] = true;
  }

  /** Completes a receive without memory. During a poll the message stays in place; otherwise it is copied. */
  public void add(long requestId, SoftwareEndpoint endpoint, MemorySegment memory, long offset, int length) {
    if (open != null && head == tail && !open.isFull()) {
      open.memory(open.add(requestId, Operation.RECEIVE, endpoint, length), memory, offset);
      head++;
      tail++;
      endpoint.drained(Operation.RECEIVE);
    } else {
      addCopy(requestId, endpoint, memory, offset, length);
    }
  }

  private int addCopy(long requestId, SoftwareEndpoint endpoint, MemorySegment memory, long offset, int length) {
    byte[] copy = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, copy, 0, length);
    int i = entry(requestId, Operation.RECEIVE, endpoint, length, Status.OK, null);
    memories[i] = MemorySegment.ofArray(copy);
    return i;
  }

  public void add(long requestId, SoftwareEndpoint endpoint, MemorySegment memory, long offset, int length, long immediate) {
    int i = addCopy(requestId, endpoint, memory, offset, length);
    immediates[i] = immediate;
    hasImmediate[i] = true;
  }

  public void fail(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, int status, String error) {
    entry(requestId, operation, endpoint, length, status, error);
  }

  private int entry(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, int status, String error) {
    if (size() == requestIds.length) {
      grow();
    }
    int i = (int) tail++ & requestIds.length - 1;
    requestIds[i] = requestId;
    statuses[i] = status;
    operations[i] = operation;
    lengths[i] = length;
    hasImmediate[i] = false;
    endpoints[i] = endpoint;
    errors[i] = error;
    return i;
  }

  public void drain(CompletionBatch batch) {
    while (head < tail && !batch.isFull()) {
      int i = (int) head++ & requestIds.length - 1;
      SoftwareEndpoint endpoint = endpoints[i];
      endpoints[i] = null;
      MemorySegment memory = memories[i];
      memories[i] = null;
      if (endpoint != null && endpoint.silent(operations[i], requestIds[i])) {
        errors[i] = null;
        continue;
      }
      if (endpoint != null) {
        endpoint.drained(operations[i]);
      }
      int at = batch.add(requestIds[i], operations[i], endpoint, lengths[i]);
      if (memory != null) {
        batch.memory(at, memory, 0);
      }
      if (hasImmediate[i]) {
        batch.immediate(at, immediates[i]);
      }
      if (statuses[i] != Status.OK) {
        batch.error(at, statuses[i], errors[i]);
        errors[i] = null;
      }
    }
  }

  public void clear() {
    for (; head < tail; head++) {
      int i = (int) head & requestIds.length - 1;
      endpoints[i] = null;
      errors[i] = null;
      memories[i] = null;
    }
  }

  private void grow() {
    int old = requestIds.length;
    requestIds = grown(requestIds, new long[old * 2], old);
    statuses = grown(statuses, new int[old * 2], old);
    operations = grown(operations, new Operation[old * 2], old);
    lengths = grown(lengths, new long[old * 2], old);
    immediates = grown(immediates, new long[old * 2], old);
    hasImmediate = grown(hasImmediate, new boolean[old * 2], old);
    endpoints = grown(endpoints, new SoftwareEndpoint[old * 2], old);
    errors = grown(errors, new String[old * 2], old);
    memories = grown(memories, new MemorySegment[old * 2], old);
  }

  private <T> T grown(T from, T to, int old) {
    int start = (int) head & old - 1;
    int target = (int) head & 2 * old - 1;
    System.arraycopy(from, start, to, target, old - start);
    System.arraycopy(from, 0, to, (target + old - start) & 2 * old - 1, start);
    return to;
  }
}
