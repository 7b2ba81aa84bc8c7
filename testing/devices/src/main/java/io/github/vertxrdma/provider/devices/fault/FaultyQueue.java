package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class FaultyQueue extends ForwardingQueue {
  private final Faults faults;
  private final CompletionBatch drained = new CompletionBatch(64);
  private final List<Held> held = new ArrayList<>();
  /** Value of {@link Faults#pollRounds} at the last poll. */
  private int pollRound;
  private int failingPolls;
  private final Map<FaultyEndpoint, Runnable> ends = new LinkedHashMap<>();

  private static final class Held {
    final Completion completion;
    int polls;

    Held(Completion completion, int polls) {
      this.completion = completion;
      this.polls = polls;
    }

    FaultyEndpoint endpoint() {
      return (FaultyEndpoint) completion.endpoint();
    }
  }

  FaultyQueue(Faults faults, CompletionQueue raw) {
    super(raw);
    this.faults = faults;
    pollRound = faults.pollRounds();
  }

  /** Reports the end of a connection, after the delivery of all held messages. */
  void end(FaultyEndpoint endpoint, Runnable report) {
    if (holdsMessages(endpoint)) {
      ends.put(endpoint, report);
    } else {
      report.run();
    }
  }

  private boolean holdsMessages(FaultyEndpoint endpoint) {
    return held.stream().anyMatch(each -> each.endpoint() == endpoint && isReceive(each.completion.operation()));
  }

  private void reportEnds() {
    List<Runnable> due = new ArrayList<>();
    ends.entrySet().removeIf(each -> !holdsMessages(each.getKey()) && due.add(each.getValue()));
    due.forEach(Runnable::run);
  }

  @Override
  public int poll(CompletionBatch batch) {
    if (pollRound != faults.pollRounds()) {
      pollRound = faults.pollRounds();
      failingPolls = faults.failingPolls();
    }
    if (failingPolls > 0) {
      failingPolls--;
      throw new IllegalStateException("fault injected by a test");
    }
    batch.clear();
    if (!ends.isEmpty()) {
      reportEnds();
    }
    if (held.size() < batch.capacity()) {
      pollRaw(drained);
      for (int i = 0; i < drained.size(); i++) {
        take(i);
      }
    }
    Set<FaultyEndpoint> waiting = new HashSet<>();
    for (Iterator<Held> it = held.iterator(); it.hasNext() && !batch.isFull();) {
      Held next = it.next();
      if (next.polls-- > 0 || waiting.contains(next.endpoint())) {
        waiting.add(next.endpoint());
      } else {
        it.remove();
        deliver(batch, next.completion);
      }
    }
    return batch.size();
  }

  private void take(int i) {
    Completion entry = Completion.of(drained, i);
    held.add(new Held(entry, faults.delay()));
    account(entry, 1);
  }

  private static void account(Completion entry, int change) {
    if (entry.endpoint() instanceof FaultyEndpoint endpoint && !isReceive(entry.operation())) {
      endpoint.undelivered(change);
    }
  }

  private static void deliver(CompletionBatch batch, Completion entry) {
    account(entry, -1);
    entry.addTo(batch);
  }

  /** Drops the completions of a closed endpoint, except messages in shared receives. */
  void remove(FaultyEndpoint endpoint) {
    ends.remove(endpoint);
    held.removeIf(h -> h.endpoint() == endpoint && !(endpoint.receiveQueue().shared() && isReceive(h.completion.operation())));
  }

  @Override
  public boolean arm() {
    return held.isEmpty() && ends.isEmpty() && super.arm();
  }

  static final class FaultyEndpoint extends ForwardingEndpoint {
    private final Faults faults;
    private final FaultyQueue queue;
    /** Number of completions that the queue holds back. */
    private int undelivered;
    private boolean closed;

    FaultyEndpoint(ForwardingDomain domain, Faults faults, FaultyQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
      this.faults = faults;
      this.queue = queue;
    }

    void undelivered(int change) {
      undelivered += change;
    }

    @Override
    protected void onDisconnected(ProviderException cause) {
      queue.end(this, () -> super.onDisconnected(cause));
    }

    @Override
    public int post(WorkRequest request) {
      return faults.refusesPost() ? Status.AGAIN : super.post(request);
    }

    @Override
    public int outstanding() {
      return super.outstanding() + (closed ? 0 : undelivered);
    }

    @Override
    public void close() {
      if (!closed) {
        super.close();
        closed = true;
        queue.remove(this);
      }
    }
  }
}
