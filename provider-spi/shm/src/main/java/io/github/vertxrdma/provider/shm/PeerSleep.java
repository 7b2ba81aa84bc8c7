package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Reads the sleep counter of a peer's completion queue, which {@link OwnSleep} writes. */
final class PeerSleep {
  private final MemorySegment page;
  /** Counter value of the sleep from which this side last woke the peer. */
  private int woken;

  PeerSleep(MemorySegment page) {
    this.page = page;
  }

  /** Returns whether the peer sleeps and this side must wake it. True once for each sleep. */
  boolean takeWakeUp() {
    VarHandle.fullFence();
    int sleep = (int) Ring.INT.getAcquire(page, 0L);
    if ((sleep & 1) == 0 || sleep == woken) {
      return false;
    }
    woken = sleep;
    return true;
  }
}
