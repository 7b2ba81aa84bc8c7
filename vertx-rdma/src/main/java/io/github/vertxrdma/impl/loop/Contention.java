package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Whether others want the core of a loop that polls. It sees that by losing the core while it polls. A loop that sleeps loses nothing, so that
 * this tells it no longer: then it waits until all threads that want to run have a core, its peer's among them.
 */
final class Contention {
  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(10);
  /** More than this lost in a window is too much. */
  private static final long TOLERATED = WINDOW / 10;
  private static final long SHORTEST_PAUSE = WINDOW;
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final IntSupplier runnable;
  private final int processors;
  private long windowBegan;
  private long lost;
  private boolean contended;
  private long pause = SHORTEST_PAUSE;
  private long notBefore;
  private long looked;
  private double others;

  /**
   * @param runnable threads of the machine that run or want to, the one that asks among them; below 0 where that is not to be had
   * @param processors of the machine
   */
  Contention(IntSupplier runnable, int processors) {
    this.runnable = runnable;
    this.processors = processors;
  }

  /** Another thread had the core. @param nanos for so long */
  void lost(long now, long nanos) {
    if (now - windowBegan > WINDOW) {
      windowBegan = now;
      lost = 0;
    }
    lost += nanos;
    if (lost <= TOLERATED || contended) {
      return;
    }
    if (now - notBefore > pause) {
      pause = SHORTEST_PAUSE;
    }
    contended = true;
    notBefore = now + pause;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    looked = now - WINDOW;
    others = processors;
  }

  /** Whether it may poll. Asks the machine every {@code 10 ms} at most. */
  boolean permits(long now) {
    if (contended && now - looked >= WINDOW) {
      looked = now;
      int wanted = runnable.getAsInt();
      others = wanted < 0 ? 0 : (others + wanted - 1) / 2;
      contended = now - notBefore < 0 || Math.round(others) >= processors;
      lost = 0;
    }
    return !contended;
  }
}
