package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Whether others want the core of a loop that polls. It sees that by losing the core while it polls, or by waiting for one: who polls for
 * short times loses nothing, but is in debt with the scheduler, and waits for a whole time slice of others once it is woken. What it loses
 * without a wait that the scheduler knows of nobody here has had: the host of a virtual machine took it, or the JVM stood still. A loop
 * that sleeps loses nothing and hardly waits, so that these tell it no longer: then it waits until all threads that want to run have a
 * core, its peer's among them.
 */
final class Contention {
  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(10);
  /** One part of so many of the time that is lost, or waited for, is too much. */
  private static final int TOLERATED = 10;
  private static final long SHORTEST_PAUSE = WINDOW;
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final IntSupplier runnable;
  private final LongSupplier waited;
  private final int processors;
  private long windowBegan;
  private long lost;
  private boolean contended;
  private long pause = SHORTEST_PAUSE;
  private long notBefore;
  private long looked;
  private long waitedBefore = -1;
  private double others;

  /**
   * @param runnable threads of the machine that run or want to, the one that asks among them; below 0 where that is not to be had
   * @param waited nanoseconds that the one that asks has waited for a core; below 0 where that is not to be had
   * @param processors of the machine
   */
  Contention(IntSupplier runnable, LongSupplier waited, int processors) {
    this.runnable = runnable;
    this.waited = waited;
    this.processors = processors;
  }

  /** Nothing was polled, as if another thread had the core. @param nanos for so long */
  void lost(long now, long nanos) {
    if (now - windowBegan > WINDOW) {
      windowBegan = now;
      lost = 0;
    }
    lost += nanos;
    if (lost > WINDOW / TOLERATED && !contended) {
      long waitedNow = waited.getAsLong();
      if (waitedNow < 0 || waitedNow - waitedBefore > lost / 2) {
        contend(now);
      } else {
        lost = 0;
      }
    }
  }

  private void contend(long now) {
    if (now - notBefore > pause) {
      pause = SHORTEST_PAUSE;
    }
    contended = true;
    notBefore = now + pause;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    looked = now - WINDOW;
    others = processors;
  }

  /** Whether more threads than there are processors wanted one lately: who waits for one may also share it with its peer alone. */
  boolean isCounted() {
    return contended && isFull();
  }

  private boolean isFull() {
    return Math.round(others) >= processors;
  }

  /** Whether it may poll. Asks the machine every {@code 10 ms} at most. */
  boolean permits(long now) {
    long since = now - looked;
    if (since >= WINDOW) {
      looked = now;
      if (contended) {
        int wanted = runnable.getAsInt();
        others = wanted < 0 ? 0 : (others + wanted - 1) / 2;
        contended = now - notBefore < 0 || isFull();
        waitedBefore = contended ? -1 : waited.getAsLong();
      } else {
        long before = waitedBefore;
        waitedBefore = waited.getAsLong();
        if (before >= 0 && waitedBefore - before > since / TOLERATED) {
          contend(now);
        }
      }
    }
    return !contended;
  }
}
