package io.github.vertxrdma.impl.transport;

import java.util.concurrent.TimeUnit;

/**
 * Chooses TCP or a fabric for the connections with one peer. Rare traffic uses TCP, and all traffic while other processes need the
 * processors. Otherwise uses what carries more bytes in the same time: begins with the fabric, and tries the other one at intervals, which
 * grow while the result stays the same. Confined to one thread.
 */
final class MoveMeasure {
  /** Length in ns of the periods whose bytes are compared. Shorter ones depend on single time slices of other processes. */
  static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /** Time in ns after a change of the carrier that is not measured. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  /** Numbers of messages and ns over the fabric before it is compared, since its code is being compiled. */
  private static final long COLD_MESSAGES = 100_000;
  private static final long COLD_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** Messages and bytes in a second below which traffic is rare. */
  static final long RARE_MESSAGES = 1_000;
  static final long RARE_BYTES = 1_000_000;
  /** Time in ns for which rare traffic keeps the fabric, and the measure stays awake. */
  private static final long RARE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  /** The fabric is used if it carries this multiple of the bytes. */
  private static final double GAIN = 1.1;
  /** A change of the traffic by this factor leads to an earlier trial. */
  private static final double CHANGE = 1.4;
  /** Processors that other processes must leave to begin with the fabric, and to keep it: both ends poll. */
  private static final double ENOUGH = 1.5;
  private static final double LEAST = 1.2;
  /** Weight of the last period in the rate with which trials are compared. */
  private static final double LAST = 0.3;
  private static final long SHORTEST_WAIT = TimeUnit.SECONDS.toNanos(1);
  /** Longest waits in ns for the next trial of TCP, and of the fabric, which also delays messages if it loses. */
  private static final long LONGEST_WAIT_OF_TCP = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_WAIT_OF_FABRIC = TimeUnit.SECONDS.toNanos(32);
  /** Longest time in ns for which the fabric is not used after other processes needed the processors. */
  private static final long LONGEST_CALM = TimeUnit.SECONDS.toNanos(10);

  private final Processors processors;
  private boolean fabric;
  /** The better one so far. The fabric is, until both are compared. */
  private boolean prefersFabric = true;
  private boolean trial;
  private boolean settling;
  private boolean asleep = true;
  private long coldMessages = COLD_MESSAGES;
  private long coldNanos = COLD_NANOS;
  private long windowStart;
  private long windowBytes;
  private long windowMessages;
  private boolean rare;
  private long rareSince;
  /** Bytes in a ns by the better one, when it was chosen or confirmed. */
  private double chosenRate;
  /** Bytes in a ns in the last periods, of which the last ones have more weight; 0 after a change of the carrier. */
  private double recentRate;
  private long lastTrial;
  private long wait;
  private long fabricSince;
  /** Last time at which too few processors were left to go on with the fabric, and the pause after it in ns. */
  private long contended;
  private long calm;

  /** The host's processors. */
  @FunctionalInterface
  interface Processors {
    /** Returns how many the other processes left in a period before {@code now} in ns; all that this process may use if that is unknown. */
    double free(long now);

    /** Called when traffic begins, perhaps after a long time without calls. */
    default void begin(long now) {
      // Nothing is stale.
    }
  }

  MoveMeasure(Processors processors) {
    this.processors = processors;
  }

  boolean usesFabric() {
    return fabric;
  }

  /** Returns whether {@link #tick} has no effect before {@link #wake}. */
  boolean isAsleep() {
    return asleep;
  }

  /** Begins to measure when traffic is no longer rare. */
  void wake(long now, long bytes, long messages) {
    if (asleep) {
      asleep = false;
      rare = false;
      processors.begin(now);
      use(mayUse(now), now, bytes, messages);
    }
  }

  private boolean mayUse(long now) {
    return prefersFabric && areFree(now);
  }

  private boolean areFree(long now) {
    return processors.free(now) >= (fabric ? LEAST : ENOUGH) && (fabric || now - contended >= calm);
  }

  /** Waits longer each time, since polling for the fabric may itself be what leaves too few processors. */
  private void contend(long now) {
    calm = now - fabricSince >= LONGEST_CALM ? SHORTEST_WAIT : Math.min(Math.max(SHORTEST_WAIT, 2 * calm), LONGEST_CALM);
    contended = now;
    lastTrial = now;
  }

  /**
   * @param now in ns
   * @param bytes number of bytes sent and received so far
   * @param messages number of reads and flushes so far
   */
  void tick(long now, long bytes, long messages) {
    long elapsed = now - windowStart;
    if (asleep || elapsed < WINDOW_NANOS && !settling) {
      return;
    }
    if (settling) {
      if (elapsed >= SETTLE_NANOS) {
        settling = false;
        begin(now, bytes, messages);
      }
      return;
    }
    double rate = (double) (bytes - windowBytes) / elapsed;
    long passed = messages - windowMessages;
    boolean nowRare = isRare(bytes - windowBytes, passed, elapsed);
    begin(now, bytes, messages);
    if (fabric) {
      coldMessages -= passed;
      coldNanos -= elapsed;
    }
    if (nowRare) {
      rested(now, bytes, messages);
      return;
    }
    rare = false;
    boolean free = areFree(now);
    if (trial && (free || !fabric)) {
      judge(rate, now, bytes, messages);
    } else if (fabric != (prefersFabric && free)) {
      trial = false;
      if (fabric) {
        contend(now);
      }
      use(!fabric, now, bytes, messages);
    } else {
      recentRate = recentRate == 0 ? rate : LAST * rate + (1 - LAST) * recentRate;
      if (free && isDue(rate, now)) {
        trial = true;
        use(!fabric, now, bytes, messages);
      }
    }
  }

  private static boolean isRare(long bytes, long messages, long elapsed) {
    double seconds = elapsed / 1e9;
    return messages < RARE_MESSAGES * seconds && bytes < RARE_BYTES * seconds;
  }

  private void rested(long now, long bytes, long messages) {
    if (!rare) {
      rare = true;
      rareSince = now;
    }
    if (trial) {
      // Shows nothing, but must not recur at once.
      trial = false;
      lastTrial = now;
      chosenRate = recentRate;
      wait = Math.max(SHORTEST_WAIT, wait);
      use(mayUse(now), now, bytes, messages);
    } else if (now - rareSince >= RARE_NANOS) {
      fabric = false;
      asleep = true;
    }
  }

  private boolean isDue(double rate, long now) {
    if (coldMessages > 0 && coldNanos > 0) {
      return false;
    }
    if (chosenRate == 0) {
      return true;
    }
    boolean changed = rate > CHANGE * chosenRate || CHANGE * rate < chosenRate;
    return now - lastTrial >= (!changed ? wait : fabric ? SHORTEST_WAIT : Math.max(SHORTEST_WAIT, wait / 4));
  }

  private void judge(double rate, long now, long bytes, long messages) {
    trial = false;
    lastTrial = now;
    if (rate >= (fabric ? GAIN : 1) * recentRate) {
      prefersFabric = fabric;
      chosenRate = rate;
      recentRate = rate;
      wait = SHORTEST_WAIT;
    } else {
      chosenRate = recentRate;
      wait = Math.min(Math.max(SHORTEST_WAIT, 2 * wait), prefersFabric ? LONGEST_WAIT_OF_TCP : LONGEST_WAIT_OF_FABRIC);
      use(prefersFabric, now, bytes, messages);
    }
  }

  private void use(boolean byFabric, long now, long bytes, long messages) {
    if (fabric != byFabric) {
      settling = true;
      recentRate = trial ? recentRate : 0;
      fabric = byFabric;
      fabricSince = now;
    }
    begin(now, bytes, messages);
  }

  private void begin(long now, long bytes, long messages) {
    windowStart = now;
    windowBytes = bytes;
    windowMessages = messages;
  }
}
