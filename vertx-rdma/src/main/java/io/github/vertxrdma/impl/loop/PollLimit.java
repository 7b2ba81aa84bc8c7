package io.github.vertxrdma.impl.loop;

import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * How long polling on is worth it, as Linux's haltpoll finds it: it grows while what a sleeper waits for comes soon after it fell asleep, and
 * shrinks when that takes long. A few sleeps are put off until they would have ended: how much earlier something is found then is what a wake-up
 * costs here, whatever was measured. Nanoseconds.
 */
final class PollLimit {
  /** Sleeps of so many times the longest limit are short: the peer's wake-up, its own, and the work of both. */
  private static final int NEAR = 3;
  /** Longer sleeps are nothing that wake-ups explain. */
  private static final long LONGEST_GAP = NEAR * WakeUpCost.MOST;
  /** Tries in vain, one after the other, after which what comes soon is taken for somebody who needs this core for it. */
  private static final int VAIN = 16;
  /** Of so many sleeps one is put off, by chance: two ends that do it in turns would never find each other awake. */
  private static final int PROBE = 64;
  /** Sleeps to one that is put off where that has shown nothing. */
  private static final int RAREST_PROBE = 1024;
  /** Tries after a probe that was worth it that may take as long, until the peer has seen it and polls too. */
  private static final int GENEROUS = 8;

  private final LongSupplier measured;
  private final RandomGenerator random;
  private long limit;
  private int vain;
  /** The last sleep that was not put off. */
  private long gap = Long.MAX_VALUE;
  private int interval = PROBE;
  private int untilProbe = PROBE / 2;
  private boolean probing;
  private int generous;
  /** The time that the last probe won, and what a wake-up costs by the last two. */
  private long won;
  private long seen;

  /** @param measured the cost of a wake-up, to which it grows @param begun whether it begins there, or with 0 */
  PollLimit(LongSupplier measured, boolean begun, RandomGenerator random) {
    this.measured = measured;
    this.random = random;
    limit = begun ? measured.getAsLong() : 0;
  }

  private long longest() {
    return Math.max(measured.getAsLong(), seen);
  }

  /** @return how long to poll now; 0 to sleep at once */
  long next() {
    probing = limit == 0 && gap <= LONGEST_GAP && --untilProbe <= 0;
    if (!probing) {
      return limit;
    }
    untilProbe = interval / 2 + random.nextInt(interval);
    return gap;
  }

  /** Something came while it polled. @param idle for so long */
  void found(long idle) {
    vain = 0;
    if (probing) {
      probing = false;
      probed(idle, Math.clamp(gap - idle, 0, WakeUpCost.MOST));
    } else if (idle <= longest()) {
      generous = 0;
      limit = limit == 0 ? longest() : Math.min(limit, longest());
    } else if (--generous <= 0) {
      limit = longest();
    }
  }

  /** Polling for twice what a wake-up costs is no loss. */
  private void probed(long idle, long gain) {
    seen = Math.min(won, gain);
    won = gain;
    if (idle <= 2 * gain) {
      interval = PROBE;
      generous = GENEROUS;
      limit = Math.max(longest(), idle * 5 / 4);
    } else {
      interval = Math.min(2 * interval, RAREST_PROBE);
    }
  }

  /** It polled for as long as it was told to. */
  void vain() {
    vain++;
    if (probing) {
      probing = false;
      won = 0;
      interval = Math.min(2 * interval, RAREST_PROBE);
    }
  }

  /** It slept, in the end. @param idle from the last completion to this one @param polled for so long of that */
  void slept(long idle, long polled) {
    if (polled == 0) {
      gap = idle;
    }
    long most = longest();
    if (idle > NEAR * most) {
      limit = limit < most / 8 ? 0 : limit / 2;
    } else if (vain >= VAIN) {
      limit = 0;
    } else {
      limit = Math.min(most, Math.max(2 * limit, most / 4));
    }
  }
}
