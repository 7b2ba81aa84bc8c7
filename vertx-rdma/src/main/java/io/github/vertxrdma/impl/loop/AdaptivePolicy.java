package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Polls on where the next completion is likely within {@value #DEFAULT_MICROS} µs: after several turns that followed each other that
 * fast; and where operations of its own are under way whose end nothing would tell it, three times as long, since the peer that serves
 * them may have to wake up first. When others take the core too often, or too many tries found nothing, it sleeps at once
 * for a time that doubles. At most half of a process's processors poll at the same time. A process that was given one processor
 * of several polls on it, since its peers have others; on a machine with a single one nobody does.
 */
final class AdaptivePolicy implements PollPolicy {
  /** System property: how long it polls on, in µs. */
  static final String PROPERTY = "vertx.rdma.spin";
  private static final int DEFAULT_MICROS = 50;
  private static final long LONGEST = TimeUnit.MICROSECONDS.toNanos(Integer.getInteger(PROPERTY, DEFAULT_MICROS));
  /** As long while the peer may have to wake up before it can answer: it does so itself only until it is answered fast. */
  private static final long LONGEST_UNSURE = 3 * LONGEST;
  /** About what a wake-up takes: what polling shortens. */
  private static final long WAKE_UP = TimeUnit.MICROSECONDS.toNanos(100);
  /** Fast turns in a row before it tries. */
  private static final int STREAK = 8;
  /** Longer than this between two polls: another thread had the core. */
  private static final long CONTENDED = TimeUnit.MICROSECONDS.toNanos(40);
  /** Tries in vain, one after the other, before it stops for a while. */
  private static final int FAILURES = 4;
  /**
   * A lost core weighs so much at least, and one for each of the wake-ups that fit in the time; a completion that was found takes one off,
   * and from that on it stops for a while: polling uses up the share of the core that a wake-up would need, so where others want it as
   * well sleepers are served before those who poll.
   */
  private static final int LOST = 8;
  private static final int TOO_MANY_LOST = 16;
  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicInteger POLLING = new AtomicInteger();
  private static final int MAY_POLL = mayPoll(Runtime.getRuntime().availableProcessors(), Processors.online());

  private final AtomicInteger polling;
  private long lastBegin;
  private int streak;
  private long started;
  private long longest;
  private long last;
  private boolean contended;
  private boolean sure;
  private long taken;
  private int failures;
  /** How long it polled without a completion, since the last one or the last failure: sockets and tasks cut a try short. */
  private long vain;
  private int lost;
  private long pause = SHORTEST_PAUSE;
  private long notBefore;
  private boolean pausing;

  AdaptivePolicy() {
    this(POLLING);
  }

  /** @param polling how many poll now, of those that share the processors */
  AdaptivePolicy(AtomicInteger polling) {
    this.polling = polling;
  }

  /** @param own processors this process may use @param online processors of the machine */
  static int mayPoll(int own, int online) {
    return own > 1 ? own / 2 : online > 1 ? 1 : 0;
  }

  @Override
  public boolean begin(long now, boolean expecting) {
    streak = now - lastBegin < LONGEST_UNSURE ? streak + 1 : 0;
    lastBegin = now;
    if (streak < STREAK && !expecting || pausing && now - notBefore < 0) {
      return false;
    }
    if (polling.incrementAndGet() > MAY_POLL) {
      polling.decrementAndGet();
      return false;
    }
    pausing = false;
    start(now, expecting);
    return true;
  }

  private void start(long now, boolean expecting) {
    contended = false;
    started = now;
    longest = expecting || !sure ? LONGEST_UNSURE : LONGEST;
    last = now;
  }

  @Override
  public boolean proceed(long now) {
    if (now - last > CONTENDED) {
      contended = true;
      taken = now - last;
      return false;
    }
    last = now;
    if (now - started > longest) {
      return false;
    }
    // No yield: Linux takes a whole time slice of milliseconds for it where anybody else is ready to run; sleeping soon costs less.
    Thread.onSpinWait();
    return true;
  }

  @Override
  public void again(long now, boolean expecting) {
    won(now);
    start(now, expecting);
  }

  /** It was worth it. */
  private void won(long now) {
    sure = true;
    failures = 0;
    vain = 0;
    // Whoever begins soon after this goes on with a streak, however long it took.
    lastBegin = now;
    if (lost > 0) {
      lost--;
    } else if (now - notBefore > pause) {
      pause = SHORTEST_PAUSE;
    }
  }

  @Override
  public void end(boolean found, long now) {
    polling.decrementAndGet();
    sure = false;
    if (contended) {
      lost += (int) Math.max(LOST, Math.min(TOO_MANY_LOST, taken / WAKE_UP));
    } else if (found) {
      won(now);
    } else if ((vain += now - started) > longest) {
      vain = 0;
      failures++;
    }
    if (failures >= FAILURES || lost >= TOO_MANY_LOST) {
      failures = 0;
      lost = 0;
      streak = 0;
      pausing = true;
      notBefore = now + pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }
}
