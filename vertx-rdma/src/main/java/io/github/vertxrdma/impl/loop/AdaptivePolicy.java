package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures what polling brings. While traffic flows it compares periods in which the loop polls on after each event with periods in which
 * the loop sleeps at once, and keeps the better of the two. The other one is tried again now and then, and soon when the traffic has
 * changed.
 *
 * <p>What is compared is the rate of events, and the cost of an event: wall time plus the time for which the loop was awake. A try of the
 * worse way is short, and tries become rarer while their result stays the same.
 *
 * <p>All processors of a process but one may have a loop that polls. A process that may use one processor of several polls on it, since its
 * peers have others. On a machine with one processor no loop polls.
 */
final class AdaptivePolicy implements PollPolicy {
  /** System property: how long it polls on after an event, in µs. */
  static final String PROPERTY = "vertx.rdma.spin";
  /** Longer than the wake-ups of two ends that sleep. */
  static final int SPIN_MICROS = 200;
  /** Events of a period, at least, unless polling is clearly in vain. */
  private static final int EVENTS = 16;
  private static final long PERIOD = TimeUnit.MICROSECONDS.toNanos(500);
  /** Polling for so long that is slower than sleeping ends at once: other threads have the core. */
  private static final long LOST = TimeUnit.MILLISECONDS.toNanos(2);
  /** Times that it polls on in vain, after which a period ends. */
  private static final int MISSES = 4;
  /** Events that come so late while the loop sleeps are not waited for longer than others. */
  private static final long FAR = TimeUnit.MICROSECONDS.toNanos(700);
  /** Longer sleeps are pauses of the traffic, and count as one of this length. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
  /** After a try that lost time the next one is put off for so many times that time, at least. */
  private static final int LOSSES = 50;
  private static final long SHORTEST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicInteger POLLING = new AtomicInteger();
  private static final int MAY_POLL = mayPoll(Runtime.getRuntime().availableProcessors(), Processors.online());

  /** Result of a period in nanoseconds per event. */
  private static final class Way {
    double wall;
    double awake;

    double cost() {
      return wall + awake;
    }
  }

  private final long shortestSpin = TimeUnit.MICROSECONDS.toNanos(Integer.getInteger(PROPERTY, SPIN_MICROS));
  /** Nanoseconds that it polls on after an event. */
  private long spin = shortestSpin;
  private final AtomicInteger polling;
  private final int mayPoll;
  private final IdleTime idleTime = new IdleTime();
  private final Way sleepingWay = new Way();
  private final Way pollingWay = new Way();
  /** Whether it polls on in this period. */
  private boolean polls;
  /** Whether this period tries the other way. */
  private boolean trial;
  /** Cost of an event when the way was chosen. */
  private double chosenAt;
  private long nextTrial;
  private long interval = SHORTEST_INTERVAL;
  /** No trial begins earlier, whatever changes. */
  private long notBefore;
  /** Whether the first period has begun. */
  private boolean begun;

  private long periodBegan;
  private long eventsBefore;
  /** Nanoseconds of this period in which the loop slept, and those of them that are not counted. */
  private long asleep;
  private long paused;
  private int misses;
  private long sleepBegan;

  AdaptivePolicy() {
    this(POLLING, MAY_POLL);
  }

  /**
   * @param polling the number of loops that poll now, of those that share the processors
   * @param mayPoll the number of them that may
   */
  AdaptivePolicy(AtomicInteger polling, int mayPoll) {
    this.polling = polling;
    this.mayPoll = mayPoll;
  }

  /** @param own processors this process may use @param online processors of the machine */
  static int mayPoll(int own, int online) {
    return own > 1 ? own - 1 : online > 1 ? 1 : 0;
  }

  @Override
  public boolean begins(long now, long events, boolean expecting) {
    long idle = idleTime.at(now, events);
    judge(now, events);
    if (idle >= spin || !polls && !expecting) {
      return false;
    }
    if (polling.incrementAndGet() > mayPoll) {
      polling.decrementAndGet();
      if (polls) {
        // It is no trial without polling.
        polls = false;
        trial = false;
        nextTrial = now + interval;
        period(now, events);
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
  public void ends(long now) {
    polling.decrementAndGet();
  }

  @Override
  public void sleeps(long now) {
    sleepBegan = now;
  }

  @Override
  public void wakes(long now) {
    long slept = now - sleepBegan;
    asleep += slept;
    if (slept > PAUSE) {
      paused += slept - PAUSE;
    }
  }

  private void period(long now, long events) {
    periodBegan = now;
    eventsBefore = events;
    asleep = 0;
    paused = 0;
    misses = 0;
  }

  /** Whether polling was so slow that it is not worth a longer look. */
  private boolean isLost(long now, long events) {
    long wall = now - periodBegan - paused;
    return wall > LOST && sleepingWay.wall > 0 && wall > (events - eventsBefore + 1) * sleepingWay.wall;
  }

  /** Ends the period if it has shown enough, and chooses the way of the next one. */
  private void judge(long now, long events) {
    if (!begun) {
      begun = true;
      nextTrial = now;
      notBefore = now;
      period(now, events);
    }
    long wall = now - periodBegan;
    if (wall < PERIOD) {
      return;
    }
    long count = events - eventsBefore;
    if (count < EVENTS && !(polls && (count > 0 && misses >= MISSES || isLost(now, events)))) {
      return;
    }
    count = Math.max(1, count);
    Way way = polls ? pollingWay : sleepingWay;
    way.awake = (double) (wall - asleep) / count;
    way.wall = (double) (wall - paused) / count;
    boolean better = pollingWay.wall > 0 && isPollingBetter();
    if (trial) {
      trial = false;
      if (polls == better) {
        interval = SHORTEST_INTERVAL;
      } else {
        interval = Math.min(2 * interval, LONGEST_INTERVAL);
        polls = better;
      }
      Way chosen = polls ? pollingWay : sleepingWay;
      chosenAt = chosen.cost();
      notBefore = now + (long) Math.max(SHORTEST_INTERVAL, LOSSES * count * (way.cost() - chosen.cost()));
      nextTrial = Math.max(now + interval, notBefore);
    } else {
      if (hasChanged(way.cost()) || polls && !better) {
        interval = SHORTEST_INTERVAL;
        nextTrial = Math.min(nextTrial, notBefore);
      }
      if (now - nextTrial >= 0) {
        trial = true;
        polls = !polls;
        // Events come that late if several loops that sleep share a request.
        spin = sleepingWay.wall < FAR ? Math.max(shortestSpin, (long) (2 * sleepingWay.wall)) : shortestSpin;
      }
    }
    period(now, events);
  }

  private boolean hasChanged(double cost) {
    return cost > 2 * chosenAt || cost < chosenAt / 2;
  }

  /**
   * Compares the latest results. Polling at one end of two that sleep saves half of the wake-ups, and costs about as much as it saves. It
   * pays once the other end polls too, which the other end finds out only then.
   */
  private boolean isPollingBetter() {
    double rate = sleepingWay.wall / pollingWay.wall;
    double cost = pollingWay.cost() / sleepingWay.cost();
    return rate >= 1.3 && cost <= 1.3 || cost <= 0.9;
  }
}
