package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A completion queue without wake-ups. Reports violations: calls from a second thread, and more work than the queue can hold. */
final class StrictQueue extends ForwardingQueue {
  private final StrictDomain domain;
  private final CompletionBatch drained = new CompletionBatch(64);
  private final ArrayDeque<Ready> ready = new ArrayDeque<>();
  private final List<StrictEndpoint> endpoints = new ArrayList<>();
  private Thread owner;
  private boolean idle;

  record Ready(Completion completion, int slots, int readSlots) {
    StrictEndpoint endpoint() {
      return (StrictEndpoint) completion.endpoint();
    }
  }

  StrictQueue(StrictDomain domain, CompletionQueue raw) {
    super(raw);
    this.domain = domain;
  }

  void add(StrictEndpoint endpoint) {
    endpoints.add(endpoint);
  }

  void remove(StrictEndpoint endpoint) {
    endpoints.remove(endpoint);
    ready.removeIf(r -> r.endpoint() == endpoint && !(endpoint.receiveQueue().shared() && isReceive(r.completion.operation())));
  }

  void ready(Ready completion) {
    ready.add(completion);
  }

  void checkThread(String what) {
    if (owner != null && owner != Thread.currentThread()) {
      domain.strict().violated(what + " on thread " + Thread.currentThread().getName() + "; the queue is polled by " + owner.getName());
    }
  }

  /** Reports a violation if the queue cannot hold all completions, because some would be lost. */
  void checkRoom() {
    int work = 0;
    Set<Ledger> ledgers = new HashSet<>();
    for (StrictEndpoint endpoint : endpoints) {
      work += endpoint.used();
      if (ledgers.add(endpoint.ledger())) {
        work += endpoint.ledger().outstanding();
      }
    }
    if (work > capacity()) {
      domain.strict().violated(work + " work requests and receives are outstanding on a completion queue of " + capacity());
    }
  }

  @Override
  public int poll(CompletionBatch batch) {
    checkThread("poll");
    owner = Thread.currentThread();
    batch.clear();
    for (int i = 0; i < endpoints.size(); i++) {
      endpoints.get(i).turn();
    }
    if (ready.size() < batch.capacity()) {
      pollRaw(drained);
      for (int i = 0; i < drained.size(); i++) {
        sort(i);
      }
    }
    for (Ready r; !batch.isFull() && (r = ready.poll()) != null;) {
      r.completion.addTo(batch);
      if (r.endpoint() != null) {
        r.endpoint().drained(r.slots, r.readSlots);
      }
    }
    idle = batch.size() == 0;
    return batch.size();
  }

  private void sort(int i) {
    StrictEndpoint endpoint = (StrictEndpoint) drained.endpoint(i);
    Operation operation = drained.operation(i);
    if (!isReceive(operation) && endpoint != null && endpoint.completed(drained.requestId(i), drained.status(i), drained.error(i))) {
      return;
    }
    if (endpoint != null && !(operation == Operation.REMOTE_WRITE && drained.requestId(i) == -1)) {
      endpoint.received();
    }
    ready.add(new Ready(Completion.of(drained, i), 0, 0));
  }

  @Override
  public Waiting waiting() {
    return Waiting.NONE;
  }

  @Override
  public int fd() {
    return -1;
  }

  /** Also arms a wrapped queue with a file descriptor, because an unarmed queue checks its descriptor rarely. */
  @Override
  public boolean arm() {
    checkThread("arm");
    return idle && ready.isEmpty() && (super.waiting() != Waiting.FD || super.arm());
  }

  @Override
  public void wakeupHandler(Runnable handler) {
  }

  @Override
  public int unannounced() {
    int number = super.unannounced();
    for (StrictEndpoint endpoint : endpoints) {
      number += endpoint.unannounced();
    }
    return number;
  }

  @Override
  public void close() {
    super.close();
    for (StrictEndpoint endpoint : List.copyOf(endpoints)) {
      endpoint.close();
    }
    ready.clear();
  }
}
