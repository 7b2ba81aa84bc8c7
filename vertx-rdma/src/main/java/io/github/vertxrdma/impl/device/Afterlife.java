package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.loop.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Memory of endpoints that are over and that others still own: the fabric, until each operation is completed, and peers that may read
 * rendezvous memory on a shared endpoint, for a fixed time. Confined to the loop.
 */
public final class Afterlife {
  /** Time for which rendezvous memory of a link that ended stays as it is; part of the protocol. */
  public static final long KEPT_MILLIS = 1_000;

  private final Scheduler scheduler;
  private final Turn turn;
  private final List<LoopEndpoint> quarantined = new ArrayList<>();
  private int kept;

  Afterlife(Scheduler scheduler, Turn turn) {
    this.scheduler = scheduler;
    this.turn = turn;
  }

  /** Keeps an endpoint until the fabric has given back what it owns. */
  public void quarantine(LoopEndpoint endpoint) {
    quarantined.add(endpoint);
  }

  /** Keeps rendezvous memory as it is while its peer may take what it reads there for the link's. */
  public void keep(Runnable release) {
    kept++;
    scheduler.schedule(() -> {
      kept--;
      release.run();
      // There may be links that wait for it.
      turn.wake();
    }, KEPT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Frees what the fabric has given back. */
  void turnEnd() {
    if (!quarantined.isEmpty()) {
      quarantined.removeIf(LoopEndpoint::releaseIfDone);
    }
  }

  boolean isKeeping() {
    return kept > 0;
  }

  /** Endpoints in quarantine, for their last release: nothing is outstanding once the completion queue is closed. */
  List<LoopEndpoint> quarantined() {
    return quarantined;
  }
}
