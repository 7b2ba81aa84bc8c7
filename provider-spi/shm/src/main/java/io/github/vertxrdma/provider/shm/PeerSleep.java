package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Reads the word of a peer's {@link OwnSleep}. */
final class PeerSleep {
  private final MemorySegment page;
  /** Value of the word in the sleep from which the peer was woken last. */
  private int woken;

  PeerSleep(MemorySegment page) {
    this.page = page;
  }

  /** Returns whether this side has to wake the peer. True once for each sleep. */
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
