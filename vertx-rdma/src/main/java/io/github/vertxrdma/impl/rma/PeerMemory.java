package io.github.vertxrdma.impl.rma;

import io.github.vertxrdma.impl.loop.Scheduler;
import io.github.vertxrdma.provider.RemoteMemory;
import java.util.concurrent.TimeUnit;

/** Memory of a peer, at its end. */
public final class PeerMemory {
  private static final long PAUSE_MILLIS = 10;

  private PeerMemory() {
  }

  /**
   * Ends it, and what is mapped of it. A thread may be in the middle of a system call on it: again, until that has returned. On the loop.
   */
  public static void close(RemoteMemory memory, Scheduler loop) {
    try {
      memory.close();
    } catch (IllegalStateException busy) {
      loop.schedule(() -> close(memory, loop), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
