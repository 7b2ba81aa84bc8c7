package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Queue of completions. During a poll, completions are added to its batch directly if the queue is empty. */
public final class Completions {
  private final EntryRing<Entry> waiting = new EntryRing<>(Entry::new);
  private CompletionBatch open;

  private static final class Entry {
    private long requestId;
    private int status;
    private Operation operation;
    private long length;
    private boolean hasImmediate;
    private long immediate;
    private SoftwareEndpoint endpoint;
    private String error;
    private MemorySegment memory;

    void addTo(CompletionBatch batch) {
      int at = batch.add(requestId, operation, endpoint, length);
      if (memory != null) {
        batch.memory(at, memory, 0);
      }
      if (hasImmediate) {
        batch.immediate(at, immediate);
      }
      if (status != Status.OK) {
        batch.error(at, status, error);
      }
    }

    void clear() {
      endpoint = null;
      error = null;
      memory = null;
    }
  }

  public int size() {
    return waiting.size();
  }

  /** Returns the number of completions that polls have returned. */
  public long head() {
    return waiting.head();
  }

  public long tail() {
    return waiting.tail();
  }

  public void open(CompletionBatch batch) {
    open = batch;
  }

  public void add(long requestId, Operation operation, SoftwareEndpoint endpoint, long length) {
    add(requestId, operation, endpoint, length, false, 0);
  }

  public void add(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, boolean hasImmediate, long immediate) {
    add(requestId, operation, endpoint, length, null, 0, hasImmediate, immediate);
  }

  /** Completes a receive without memory. During a poll the message stays in place; otherwise it is copied. */
  public void add(long requestId, SoftwareEndpoint endpoint, MemorySegment memory, long offset, int length, boolean hasImmediate,
    long immediate) {
    add(requestId, Operation.RECEIVE, endpoint, length, memory, offset, hasImmediate, immediate);
  }

  private void add(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, MemorySegment memory, long offset,
    boolean hasImmediate, long immediate) {
    if (open == null || !waiting.isEmpty() || open.isFull()) {
      Entry entry = entry(requestId, operation, endpoint, length, Status.OK, null);
      entry.memory = memory == null ? null : MemorySegment.ofArray(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
      entry.hasImmediate = hasImmediate;
      entry.immediate = immediate;
      return;
    }
    waiting.skip();
    if (endpoint != null) {
      endpoint.drained(operation);
    }
    int at = open.add(requestId, operation, endpoint, length);
    if (memory != null) {
      open.memory(at, memory, offset);
    }
    if (hasImmediate) {
      open.immediate(at, immediate);
    }
  }

  public void fail(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, int status, String error) {
    entry(requestId, operation, endpoint, length, status, error);
  }

  private Entry entry(long requestId, Operation operation, SoftwareEndpoint endpoint, long length, int status, String error) {
    Entry entry = waiting.next();
    waiting.add();
    entry.requestId = requestId;
    entry.status = status;
    entry.operation = operation;
    entry.length = length;
    entry.hasImmediate = false;
    entry.endpoint = endpoint;
    entry.error = error;
    return entry;
  }

  public void drain(CompletionBatch batch) {
    while (!waiting.isEmpty() && !batch.isFull()) {
      Entry entry = waiting.first();
      waiting.remove();
      SoftwareEndpoint endpoint = entry.endpoint;
      if (endpoint == null) {
        entry.addTo(batch);
      } else if (!endpoint.isDropped(entry.operation, entry.requestId)) {
        endpoint.drained(entry.operation);
        entry.addTo(batch);
      }
      entry.clear();
    }
  }

  public void clear() {
    while (!waiting.isEmpty()) {
      waiting.first().clear();
      waiting.remove();
    }
  }
}
