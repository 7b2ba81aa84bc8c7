package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** The word by which a queue says that it sleeps, in a page that its peers read: odd while it does, each sleep with a number of its own. */
final class OwnSleep {
  private final MemorySegment page;
  private int sleeps;

  OwnSleep(MemorySegment page) {
    this.page = page;
  }

  /** Begins a sleep. What was published before this, or by whom this escaped, is seen by a look at the rings after it. */
  void begin() {
    Ring.INT.setVolatile(page, 0L, ++sleeps * 2 - 1);
    VarHandle.fullFence();
  }

  void end() {
    Ring.INT.setRelease(page, 0L, sleeps * 2);
  }
}
