package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** Tells completions late, wrongly or not at all. */
final class FaultyQueue extends ForwardingQueue {
  private final Faults faults;
  private final CompletionBatch drained = new CompletionBatch(64);
  private final List<Held> held = new ArrayList<>();

  private static final class Held {
    FaultyEndpoint endpoint;
    long requestId;
    int status;
    Operation operation;
    long length;
    boolean hasImmediate;
    long immediate;
    String error;
    int polls;
  }

  FaultyQueue(Faults faults, CompletionQueue raw) {
    super(raw);
    this.faults = faults;
  }

  private static boolean received(Operation operation) {
    return operation == Operation.RECEIVE || operation == Operation.REMOTE_WRITE;
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (held.size() < batch.capacity()) {
      pollRaw(drained);
      for (int i = 0; i < drained.size(); i++) {
        take(i);
      }
    }
    Set<FaultyEndpoint> waiting = new HashSet<>();
    for (Iterator<Held> it = held.iterator(); it.hasNext() && !batch.isFull(); ) {
      Held next = it.next();
      if (next.polls-- > 0 || waiting.contains(next.endpoint)) {
        waiting.add(next.endpoint);
      } else {
        it.remove();
        tell(batch, next);
      }
    }
    return batch.size();
  }

  private void take(int i) {
    Held entry = new Held();
    entry.endpoint = (FaultyEndpoint) drained.endpoint(i);
    entry.requestId = drained.requestId(i);
    entry.status = drained.status(i);
    entry.operation = drained.operation(i);
    entry.length = drained.length(i);
    entry.hasImmediate = drained.hasImmediate(i);
    entry.immediate = drained.immediate(i);
    entry.error = drained.error(i);
    if (faults.silent(entry.endpoint) && entry.status == Status.OK) {
      lose(entry);
      return;
    }
    int answer = entry.status == Status.OK ? faults.answer(entry.operation) : Faults.AS_IT_IS;
    if (answer == Faults.DROPPED) {
      lose(entry);
      return;
    }
    if (answer != Faults.AS_IT_IS) {
      entry.status = answer;
      entry.error = "a fault that a test asked for";
      if (entry.endpoint != null) {
        entry.endpoint.fail(answer);
      }
    }
    entry.polls = faults.delay();
    held.add(entry);
    account(entry, 1);
  }

  /** Nobody is told: of messages the receive goes back, of work nothing is ever heard. */
  private void lose(Held entry) {
    if (received(entry.operation) && entry.endpoint != null) {
      entry.endpoint.receives().again(entry.requestId);
    } else {
      account(entry, 1);
    }
  }

  private static void account(Held entry, int change) {
    if (entry.endpoint != null && !received(entry.operation)) {
      entry.endpoint.untold(change);
    }
  }

  private static void tell(CompletionBatch batch, Held entry) {
    account(entry, -1);
    if (entry.endpoint != null && received(entry.operation)) {
      entry.endpoint.receives().told(entry.requestId);
    }
    int i = batch.add(entry.requestId, entry.operation, entry.endpoint, entry.length);
    if (entry.hasImmediate) {
      batch.immediate(i, entry.immediate);
    }
    if (entry.status != Status.OK) {
      batch.error(i, entry.status, entry.error);
    }
  }

  /** A closed endpoint: nothing is told of it but messages in receives that others share. */
  void remove(FaultyEndpoint endpoint) {
    held.removeIf(h -> h.endpoint == endpoint && !(endpoint.receives().shared() && received(h.operation)));
  }

  @Override
  public boolean arm() {
    return held.isEmpty() && super.arm();
  }
}
