package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** The word of a peer's {@link OwnSleep}. */
final class PeerSleep {
  private final MemorySegment page;
  /** The sleep that it was woken from. */
  private int woken;

  PeerSleep(MemorySegment page) {
    this.page = page;
  }

  /** Whether it has to be woken to see what was published before this; once for each sleep. */
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
