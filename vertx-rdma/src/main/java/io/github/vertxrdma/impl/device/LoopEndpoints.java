package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.loop.Scheduler;
import io.github.vertxrdma.provider.Endpoint;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Endpoints of a device loop that are not over, in the order in which they were made, and the traffic of those that are. Confined to the
 * loop.
 */
public final class LoopEndpoints {
  private final Scheduler scheduler;
  private final Map<Endpoint, LoopEndpoint> all = new LinkedHashMap<>();
  /** Endpoint that a completion was for last. */
  private LoopEndpoint recent;
  private Endpoint recentEndpoint;
  final Counters past = new Counters();
  long opened;
  long lost;

  LoopEndpoints(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Finds that of a completion; null if it is over. */
  LoopEndpoint find(Endpoint endpoint) {
    // Completions of one endpoint come in a row.
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

  /** Counts a link that opened. */
  public void opened() {
    opened++;
  }

  /** Forgets one that is over. @param broke true if it was an open link that broke */
  public void forget(LoopEndpoint endpoint, boolean broke) {
    assert scheduler.inLoop();
    recentEndpoint = null;
    if (all.remove(endpoint.endpoint()) != null) {
      past.add(endpoint.counters);
      lost += broke ? 1 : 0;
    }
  }

  /** Ends all of them. */
  void fail(Throwable cause) {
    assert scheduler.inLoop();
    List.copyOf(all.values()).forEach(endpoint -> endpoint.fail(cause));
  }

  /** Tells the peers which this side waits for, where they have to be woken, that it goes to sleep. */
  void sleepWaiting() {
    all.values().forEach(LoopEndpoint::sleepsWaiting);
  }

  /** Measures how long the peer of each link takes to answer; the next statistics tell. */
  public void measureRoundTrips() {
    // A copy: one that cannot be asked goes.
    List.copyOf(all.values()).forEach(LoopEndpoint::measureRoundTrip);
  }
}
