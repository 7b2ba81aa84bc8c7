package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Word in a page that peers read: odd while the queue sleeps, and different for each sleep. */
final class OwnSleep {
  private final MemorySegment page;
  private int sleeps;

  OwnSleep(MemorySegment page) {
    this.page = page;
  }

  /** A check of the rings after this call sees everything whose writer did not see this sleep. */
  void begin() {
    Ring.INT.setVolatile(page, 0L, ++sleeps * 2 - 1);
    VarHandle.fullFence();
  }

  void end() {
    Ring.INT.setRelease(page, 0L, sleeps * 2);
  }
}
