package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Memory of closed endpoints that is still in use: by the fabric until all operations have completed, and by peers that read rendezvous
 * memory.
 */
public final class RetainedMemory {
  /** Time in ms for which rendezvous memory of a closed link stays unchanged. Part of the protocol. */
  public static final long KEPT_MILLIS = 1_000;

  private final Scheduler scheduler;
  private final Turn turn;
  private final List<LoopEndpoint> quarantined = new ArrayList<>();
  private int kept;

  RetainedMemory(Scheduler scheduler, Turn turn) {
    this.scheduler = scheduler;
    this.turn = turn;
  }

  public void quarantine(LoopEndpoint endpoint) {
    quarantined.add(endpoint);
  }

  public void keep(Runnable release) {
    kept++;
    scheduler.schedule(() -> {
      kept--;
      release.run();
      turn.wake();
    }, KEPT_MILLIS, TimeUnit.MILLISECONDS);
  }

  void turnEnd() {
    if (!quarantined.isEmpty()) {
      quarantined.removeIf(LoopEndpoint::releaseIfDone);
    }
  }

  boolean isKeeping() {
    return kept > 0;
  }

  List<LoopEndpoint> quarantined() {
    return quarantined;
  }
}
