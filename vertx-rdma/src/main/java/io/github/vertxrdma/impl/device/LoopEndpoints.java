package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.provider.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Open endpoints of a device loop in order of creation, and what remains of closed ones: their traffic counters, and memory that is still
 * in use. The fabric uses it until all operations have completed, and peers may still read rendezvous memory.
 */
public final class LoopEndpoints {
  /** Time in ms for which rendezvous memory of a closed link stays unchanged. Part of the protocol. */
  public static final long KEPT_MILLIS = 1_000;

  private final Scheduler scheduler;
  private final Turn turn;
  private final Map<Endpoint, LoopEndpoint> all = new LinkedHashMap<>();
  /** Endpoint of the last completion. Successive completions often have the same endpoint. */
  private LoopEndpoint recent;
  private Endpoint recentEndpoint;
  private final List<LoopEndpoint> quarantined = new ArrayList<>();
  private int kept;
  final Counters past = new Counters();
  long opened;
  long lost;

  LoopEndpoints(Scheduler scheduler, Turn turn) {
    this.scheduler = scheduler;
    this.turn = turn;
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
    all.values().forEach(endpoint -> endpoint.waker.sleepsWaiting());
  }

  public void measureRoundTrips() {
    // A copy, because a link that cannot send is removed.
    List.copyOf(all.values()).forEach(LoopEndpoint::measureRoundTrip);
  }

  /** Retains a closed endpoint until its operations have completed, or the completion queue closes. */
  public void quarantine(LoopEndpoint endpoint) {
    quarantined.add(endpoint);
  }

  /** Calls {@code release} when the peer may no longer read the memory of a closed link. */
  public void keep(Runnable release) {
    kept++;
    scheduler.schedule(() -> {
      kept--;
      release.run();
      turn.wake();
    }, KEPT_MILLIS, TimeUnit.MILLISECONDS);
  }

  boolean isKeeping() {
    return kept > 0;
  }

  void turnEnd() {
    if (!quarantined.isEmpty()) {
      quarantined.removeIf(LoopEndpoint::releaseIfDone);
    }
  }

  void queueClosed() {
    quarantined.forEach(LoopEndpoint::queueClosed);
  }
}
