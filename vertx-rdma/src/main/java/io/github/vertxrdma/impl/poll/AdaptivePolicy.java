package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.impl.process.NumaNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Polls or sleeps, whichever is faster for the current traffic. Compares periods with polling after each event and periods with immediate
 * sleep. Tries the other mode at intervals, which grow while the result stays the same.
 *
 * <p>At most n - 1 loops poll if the process may use n processors. If it may use only one of several processors, one loop polls.
 */
final class AdaptivePolicy implements PollPolicy {
  /** System property: time in microseconds for which an event loop polls after an event before it sleeps. */
  static final String PROPERTY = "vertx.rdma.spin";
  /** Default of {@link #PROPERTY}: longer than waking both ends of a connection takes. */
  static final int SPIN_MICROS = 200;
  private static final int MIN_EVENTS = 16;
  private static final long PERIOD_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  /** Minimum length in ns of a polling period that ends early because sleeping handled events faster. */
  private static final long LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int MAX_MISSES = 4;
  /** Maximum ns between events of a sleeping loop for which {@link #spin} is lengthened. */
  private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(700);
  /** Maximum ns that one sleep contributes to the measured time. The rest is a pause of the traffic. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  /** The next trial starts after this multiple of the time that a trial lost. */
  private static final int LOSS_FACTOR = 50;
  private static final long SHORTEST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicInteger POLLING = new AtomicInteger();
  private static final int MAY_POLL = mayPoll(Runtime.getRuntime().availableProcessors(), onlineProcessors());

  private static final class Result {
    double wall;
    double awake;

    double cost() {
      return wall + awake;
    }
  }

  private final long shortestSpin = TimeUnit.MICROSECONDS.toNanos(Integer.getInteger(PROPERTY, SPIN_MICROS));
  private long spin = shortestSpin;
  private final AtomicInteger polling;
  private final int mayPoll;
  private final IdleTime idleTime = new IdleTime();
  private final Result sleepingResult = new Result();
  private final Result pollingResult = new Result();
  private boolean polls;
  private boolean trial;
  private double chosenCost;
  private long nextTrial;
  private long interval = SHORTEST_INTERVAL;
  private long earliestTrial;
  private boolean started;

  private long periodStart;
  private long periodEvents;
  private long sleepNanos;
  private long pauseNanos;
  private int misses;
  private long sleepStart;

  AdaptivePolicy() {
    this(POLLING, MAY_POLL);
  }

  AdaptivePolicy(AtomicInteger polling, int mayPoll) {
    this.polling = polling;
    this.mayPoll = mayPoll;
  }

  /**
   * @param own processors that the process may use
   * @param online processors of the machine
   */
  static int mayPoll(int own, int online) {
    return own > 1 ? own - 1 : online > 1 ? 1 : 0;
  }

  /** Returns the number of processors of the machine, including those that this process may not use. */
  private static int onlineProcessors() {
    try {
      return NumaNode.processors(Files.readString(Path.of("/sys/devices/system/cpu/online"))).cardinality();
    } catch (IOException | IllegalArgumentException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  @Override
  public boolean startPolling(long now, long events, boolean unannounced) {
    long idle = idleTime.at(now, events);
    endPeriod(now, events);
    if (idle >= spin || !polls && !unannounced) {
      return false;
    }
    if (polling.incrementAndGet() > mayPoll) {
      polling.decrementAndGet();
      if (polls) {
        polls = false;
        trial = false;
        nextTrial = now + interval;
        startPeriod(now, events);
      }
      return false;
    }
    return true;
  }

  @Override
  public Next next(long now, long events) {
    if (idleTime.at(now, events) >= spin) {
      misses++;
      return Next.SLEEP;
    }
    if (!polls) {
      return Next.POLL;
    }
    return isLost(now, events) ? Next.SLEEP : idleTime.next(now, events);
  }

  @Override
  public boolean sleepsAtOnce() {
    return !polls && !trial;
  }

  @Override
  public void stopPolling(long now) {
    polling.decrementAndGet();
  }

  @Override
  public void beforeSleep(long now) {
    sleepStart = now;
  }

  @Override
  public void afterSleep(long now) {
    long slept = now - sleepStart;
    sleepNanos += slept;
    if (slept > PAUSE_NANOS) {
      pauseNanos += slept - PAUSE_NANOS;
    }
  }

  private void startPeriod(long now, long events) {
    periodStart = now;
    periodEvents = events;
    sleepNanos = 0;
    pauseNanos = 0;
    misses = 0;
  }

  private boolean isLost(long now, long events) {
    long wall = now - periodStart - pauseNanos;
    return wall > LOST_NANOS && sleepingResult.wall > 0 && wall > (events - periodEvents + 1) * sleepingResult.wall;
  }

  private void endPeriod(long now, long events) {
    if (!started) {
      started = true;
      nextTrial = now;
      earliestTrial = now;
      startPeriod(now, events);
    }
    long wall = now - periodStart;
    if (wall < PERIOD_NANOS) {
      return;
    }
    long count = events - periodEvents;
    if (count < MIN_EVENTS && !(polls && (count > 0 && misses >= MAX_MISSES || isLost(now, events)))) {
      return;
    }
    count = Math.max(1, count);
    Result result = polls ? pollingResult : sleepingResult;
    result.awake = (double) (wall - sleepNanos) / count;
    result.wall = (double) (wall - pauseNanos) / count;
    boolean pollingIsBetter = pollingResult.wall > 0 && isPollingBetter();
    if (trial) {
      trial = false;
      if (polls == pollingIsBetter) {
        interval = SHORTEST_INTERVAL;
      } else {
        interval = Math.min(2 * interval, LONGEST_INTERVAL);
        polls = pollingIsBetter;
      }
      Result chosen = polls ? pollingResult : sleepingResult;
      chosenCost = chosen.cost();
      long loss = (long) Math.max(SHORTEST_INTERVAL, LOSS_FACTOR * count * (result.cost() - chosen.cost()));
      earliestTrial = now + loss;
      nextTrial = now + Math.max(interval, loss);
    } else {
      if (hasChanged(result.cost()) || polls && !pollingIsBetter) {
        interval = SHORTEST_INTERVAL;
        nextTrial -= Math.max(0, nextTrial - earliestTrial);
      }
      if (now - nextTrial >= 0) {
        trial = true;
        polls = !polls;
        // Covers a reply to a request that passes through several sleeping loops.
        spin = sleepingResult.wall < FAR_NANOS ? Math.max(shortestSpin, (long) (2 * sleepingResult.wall)) : shortestSpin;
      }
    }
    startPeriod(now, events);
  }

  private boolean hasChanged(double cost) {
    return cost > 2 * chosenCost || cost < chosenCost / 2;
  }

  /** Returns whether polling costs 10% less than sleeping, or handles events 30% faster at a cost of up to 30% more. */
  private boolean isPollingBetter() {
    double rate = sleepingResult.wall / pollingResult.wall;
    double cost = pollingResult.cost() / sleepingResult.cost();
    return rate >= 1.3 && cost <= 1.3 || cost <= 0.9;
  }
}
