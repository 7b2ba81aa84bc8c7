package io.github.vertxrdma.impl.loop;

import java.util.function.LongSupplier;

/**
 * How long polling on is worth it, as Linux's haltpoll finds it: it grows while what a sleeper waits for comes soon after it fell asleep,
 * and shrinks when that takes long. Nanoseconds.
 */
final class PollLimit {
  /** Sleeps of so many times the longest limit are short: the peer's wake-up, its own, and the work of both. */
  private static final int NEAR = 3;
  /** Tries in vain, one after the other, after which what comes soon is taken for somebody who needs this core for it. */
  private static final int VAIN = 16;
  /**
   * From then on one of so many sleeps is put off for longer, to find out whether that has changed: until a peer that slept can have
   * answered.
   */
  private static final int PROBE = 64;

  private final LongSupplier longest;
  private long limit;
  private int vain;
  /** Short sleeps since it was put off last. */
  private int skipped;
  private boolean near;

  /** @param longest it grows to this @param begun whether it begins there, or with 0 */
  PollLimit(LongSupplier longest, boolean begun) {
    this.longest = longest;
    limit = begun ? longest.getAsLong() : 0;
  }

  /** @return how long to poll now; 0 to sleep at once */
  long next() {
    if (limit == 0 && near && ++skipped >= PROBE) {
      skipped = 0;
      return longest.getAsLong() * 5 / 2;
    }
    return limit;
  }

  /** Something came while it polled. */
  void found() {
    vain = 0;
    if (limit == 0) {
      limit = longest.getAsLong();
    }
  }

  /** It polled for as long as it was told to. */
  void vain() {
    vain++;
  }

  /** It slept, in the end. @param idle from the last completion to this one */
  void slept(long idle) {
    long most = longest.getAsLong();
    near = idle <= NEAR * most;
    if (!near) {
      limit = limit < most / 8 ? 0 : limit / 2;
    } else if (vain >= VAIN) {
      limit = 0;
    } else {
      limit = Math.min(most, Math.max(2 * limit, most / 4));
    }
  }
}
