package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

public class ForwardingQueue implements CompletionQueue {
  final CompletionQueue raw;
  private final Map<Endpoint, ForwardingEndpoint> endpoints = new IdentityHashMap<>();
  private final List<Endpoint> closed = new ArrayList<>();

  protected ForwardingQueue(CompletionQueue raw) {
    this.raw = raw;
  }

  final void know(Endpoint wrapped, ForwardingEndpoint endpoint) {
    endpoints.put(wrapped, endpoint);
  }

  /** Keeps a closed endpoint until its work has completed, because completions in a shared receive queue may still name it. */
  final void forget(Endpoint wrapped) {
    closed.add(wrapped);
  }

  /** Returns the wrapper of an endpoint; null for null, or if it is closed and its work has completed. */
  protected final ForwardingEndpoint wrapper(Endpoint wrapped) {
    return wrapped == null ? null : endpoints.get(wrapped);
  }

  /** Returns whether a completion of the operation belongs to a receive. */
  protected static boolean isReceive(Operation operation) {
    return operation == Operation.RECEIVE || operation == Operation.REMOTE_WRITE;
  }

  protected final void pollRaw(CompletionBatch batch) {
    if (raw.poll(batch) == 0 && !closed.isEmpty()) {
      closed.removeIf(wrapped -> wrapped.outstanding() == 0 && endpoints.remove(wrapped) != null);
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.set(i, batch.requestId(i), wrapper(batch.endpoint(i)), batch.length(i));
    }
  }

  @Override
  public int capacity() {
    return raw.capacity();
  }

  @Override
  public int poll(CompletionBatch batch) {
    pollRaw(batch);
    return batch.size();
  }

  @Override
  public Waiting waiting() {
    return raw.waiting();
  }

  @Override
  public int fd() {
    return raw.fd();
  }

  @Override
  public void offer(DirectWatch watch) {
    raw.offer(watch);
  }

  @Override
  public long deferred() {
    return raw.deferred();
  }

  @Override
  public boolean arm() {
    return raw.arm();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    raw.wakeupHandler(handler);
  }

  @Override
  public int unannounced() {
    return raw.unannounced();
  }

  @Override
  public ProviderException failure() {
    return raw.failure();
  }

  @Override
  public void close() {
    raw.close();
  }
}
