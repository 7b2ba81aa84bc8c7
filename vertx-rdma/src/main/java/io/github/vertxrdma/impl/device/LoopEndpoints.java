package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.provider.Endpoint;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Open endpoints of a device loop in order of creation, and the traffic counters of closed ones. */
public final class LoopEndpoints {
  private final Scheduler scheduler;
  private final Map<Endpoint, LoopEndpoint> all = new LinkedHashMap<>();
  /** Endpoint of the last completion. Successive completions often have the same endpoint. */
  private LoopEndpoint recent;
  private Endpoint recentEndpoint;
  final Counters past = new Counters();
  long opened;
  long lost;

  LoopEndpoints(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  LoopEndpoint find(Endpoint endpoint) {
    if (recentEndpoint != endpoint) {
      recent = all.get(endpoint);
      recentEndpoint = endpoint;
    }
    return recent;
  }

  Collection<LoopEndpoint> all() {
    return all.values();
  }

  public void add(LoopEndpoint endpoint) {
    assert scheduler.inLoop();
    all.put(endpoint.endpoint(), endpoint);
    recentEndpoint = null;
  }

  public void opened() {
    opened++;
  }

  /** @param broke true if an open link failed */
  public void forget(LoopEndpoint endpoint, boolean broke) {
    assert scheduler.inLoop();
    recentEndpoint = null;
    if (all.remove(endpoint.endpoint()) != null) {
      past.add(endpoint.counters);
      lost += broke ? 1 : 0;
    }
  }

  void fail(Throwable cause) {
    assert scheduler.inLoop();
    List.copyOf(all.values()).forEach(endpoint -> endpoint.fail(cause));
  }

  void sleepWaiting() {
    all.values().forEach(LoopEndpoint::sleepsWaiting);
  }

  public void measureRoundTrips() {
    // A copy, because a link that cannot send is removed.
    List.copyOf(all.values()).forEach(LoopEndpoint::measureRoundTrip);
  }
}
