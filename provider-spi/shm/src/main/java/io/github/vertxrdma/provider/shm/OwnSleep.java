package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Word in a page that peers read. Its value is odd while the queue sleeps, and different for each sleep. */
final class OwnSleep {
  private final MemorySegment page;
  private int sleeps;

  OwnSleep(MemorySegment page) {
    this.page = page;
  }

  /** Marks the queue as asleep. Check the rings after this call: they show all records whose writer did not see the mark. */
  void begin() {
    Ring.INT.setVolatile(page, 0L, ++sleeps * 2 - 1);
    VarHandle.fullFence();
  }

  void end() {
    Ring.INT.setRelease(page, 0L, sleeps * 2);
  }
}
