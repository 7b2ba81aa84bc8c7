package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Counter in a shared page that shows peers whether this completion queue sleeps. It is odd during a sleep, and different in each sleep.
 */
final class OwnSleep {
  private final MemorySegment page;
  private int sleeps;

  OwnSleep(MemorySegment page) {
    this.page = page;
  }

  /**
   * Marks the queue as asleep. The caller must then check the rings, because a peer that wrote before it saw the mark does not wake this
   * queue.
   */
  void begin() {
    Ring.INT.setVolatile(page, 0L, ++sleeps * 2 - 1);
    VarHandle.fullFence();
  }

  void end() {
    Ring.INT.setRelease(page, 0L, sleeps * 2);
  }
}
