package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A queue without wake-ups, whose polls post delayed writes. */
final class EfaQueue implements CompletionQueue {
  final CompletionQueue raw;
  /** Null if messages and completions keep their order. */
  private final Overtaken overtaken;
  private final List<EfaEndpoint> endpoints = new ArrayList<>();
  private final Set<Long> oneSided = new HashSet<>();
  private final ArrayDeque<Failed> failed = new ArrayDeque<>();
  private boolean idle;

  private record Failed(long requestId, int status, String error) {
  }

  EfaQueue(CompletionQueue raw, Overtaken overtaken) {
    this.raw = raw;
    this.overtaken = overtaken;
  }

  void add(EfaEndpoint endpoint) {
    endpoints.add(endpoint);
  }

  void remove(EfaEndpoint endpoint) {
    endpoints.remove(endpoint);
    if (endpoints.isEmpty()) {
      oneSided.clear();
      if (overtaken != null) {
        overtaken.clear();
      }
    }
  }

  /** Adds a one-sided operation to {@link #unannounced}, because its target is not notified. */
  void started(long requestId) {
    oneSided.add(requestId);
  }

  void failed(long requestId, int status, String error) {
    failed.add(new Failed(requestId, status, error));
  }

  private boolean holding() {
    for (int i = 0; i < endpoints.size(); i++) {
      if (endpoints.get(i).holding()) {
        return true;
      }
    }
    return !failed.isEmpty() || overtaken != null && overtaken.isHolding();
  }

  @Override
  public int capacity() {
    return raw.capacity();
  }

  @Override
  public int poll(CompletionBatch batch) {
    for (int i = 0; i < endpoints.size(); i++) {
      endpoints.get(i).turn();
    }
    raw.poll(batch);
    if (overtaken != null) {
      overtaken.change(batch);
    }
    for (int i = 0; i < batch.size() && !oneSided.isEmpty(); i++) {
      oneSided.remove(batch.requestId(i));
    }
    while (!failed.isEmpty() && !batch.isFull()) {
      Failed write = failed.poll();
      oneSided.remove(write.requestId);
      batch.error(batch.add(write.requestId, Operation.WRITE, null, 0), write.status, write.error);
    }
    idle = batch.size() == 0;
    return batch.size();
  }

  @Override
  public Waiting waiting() {
    return Waiting.NONE;
  }

  @Override
  public boolean arm() {
    return idle && !holding();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
  }

  @Override
  public int unannounced() {
    return raw.unannounced() + oneSided.size();
  }

  @Override
  public long deferred() {
    return raw.deferred();
  }

  @Override
  public void close() {
    raw.close();
  }
}
