package io.github.vertxrdma.impl.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Polls on no longer than a wake-up costs on this machine, so that a try in vain at most doubles what a sleep costs, and only where the
 * next completion has lately come that fast ({@link PollLimit}); for operations of its own whose end nothing would tell a sleeper,
 * {@value #UNANNOUNCED_MICROS} µs, since the peer that serves them may have to wake up first. Not at all while others want the core. At
 * most half of a process's processors poll at the same time. A process that was given one processor of several polls on it, since its peers
 * have others; on a machine with a single one nobody does.
 */
final class AdaptivePolicy implements PollPolicy {
  /** System property: how long it polls on at most, in µs, whatever a wake-up costs. */
  static final String PROPERTY = "vertx.rdma.spin";
  private static final int UNANNOUNCED_MICROS = 150;
  /** Longer than this between two polls: the core was lost. */
  private static final long LOST = TimeUnit.MICROSECONDS.toNanos(40);
  private static final long NOT_IDLE = Long.MIN_VALUE;

  private static final AtomicInteger POLLING = new AtomicInteger();
  private static final int ONLINE = Processors.online();
  private static final int MAY_POLL = mayPoll(Runtime.getRuntime().availableProcessors(), ONLINE);

  private final WakeUpCost.Sleeper sleeper;
  private final AtomicInteger polling;
  private final int mayPoll;
  private final PollLimit announced;
  private final PollLimit unannounced;
  private final Contention contention;
  private PollLimit limit;
  /** When it ran out of completions. */
  private long idleSince = NOT_IDLE;
  /** Time that it may poll since then, and that it has: sockets and tasks cut a try short. */
  private long budget;
  private long spent;
  private long started;
  private long last;

  /** @param loop runs tasks on the loop */
  AdaptivePolicy(Executor loop) {
    this(WakeUpCost.MACHINE, loop, new Contention(RunnableThreads.MACHINE, new CoreWait(), ONLINE), POLLING, MAY_POLL);
  }

  /**
   * @param wakeUp what a wake-up costs
   * @param loop runs tasks on the loop
   * @param polling how many poll now, of those that share the processors
   * @param mayPoll how many of them may
   */
  AdaptivePolicy(WakeUpCost wakeUp, Executor loop, Contention contention, AtomicInteger polling, int mayPoll) {
    sleeper = wakeUp.new Sleeper(loop);
    this.polling = polling;
    this.mayPoll = mayPoll;
    this.contention = contention;
    Integer fixed = Integer.getInteger(PROPERTY);
    long unsure = TimeUnit.MICROSECONDS.toNanos(fixed == null ? UNANNOUNCED_MICROS : 3 * fixed);
    long sure = TimeUnit.MICROSECONDS.toNanos(fixed == null ? 0 : fixed);
    announced = new PollLimit(fixed == null ? wakeUp : () -> sure, false);
    unannounced = new PollLimit(() -> unsure, true);
    limit = announced;
  }

  /** @param own processors this process may use @param online processors of the machine */
  static int mayPoll(int own, int online) {
    return own > 1 ? own / 2 : online > 1 ? 1 : 0;
  }

  @Override
  public boolean begin(long now, boolean expecting) {
    if (idleSince == NOT_IDLE) {
      idle(now, expecting);
    } else if (limit != limit(expecting)) {
      choose(expecting);
    }
    // Asked in any case, since who does not poll wants to know, too.
    boolean permitted = contention.permits(now);
    if (spent >= budget || !permitted) {
      return false;
    }
    if (polling.incrementAndGet() > mayPoll) {
      polling.decrementAndGet();
      return false;
    }
    started = now;
    last = now;
    return true;
  }

  @Override
  public boolean sleepsAtOnce() {
    return mayPoll == 0 || contention.isCounted();
  }

  private PollLimit limit(boolean expecting) {
    return expecting ? unannounced : announced;
  }

  private void choose(boolean expecting) {
    limit = limit(expecting);
    budget = limit.next();
  }

  private void idle(long now, boolean expecting) {
    idleSince = now;
    spent = 0;
    choose(expecting);
  }

  @Override
  public boolean proceed(long now) {
    if (now - last > LOST) {
      contention.lost(now, now - last);
      if (!contention.permits(now)) {
        return false;
      }
    }
    last = now;
    if (spent + now - started > budget) {
      return false;
    }
    // No yield: Linux takes a whole time slice of milliseconds for it where anybody else is ready to run; sleeping soon costs less.
    Thread.onSpinWait();
    return true;
  }

  @Override
  public void again(long now, boolean expecting) {
    won();
    idle(now, expecting);
    started = now;
    last = now;
  }

  @Override
  public void end(boolean found, long now) {
    polling.decrementAndGet();
    if (found) {
      won();
      idleSince = NOT_IDLE;
    } else {
      spent += now - started;
      if (spent > budget) {
        limit.vain();
      }
    }
  }

  private void won() {
    limit.found();
    sleeper.worked();
  }

  @Override
  public void sleeps(long now) {
    sleeper.sleeps(now);
  }

  @Override
  public void woke(boolean found, long now) {
    sleeper.woke();
    if (found && idleSince != NOT_IDLE) {
      sleeper.worked();
      limit.slept(now - idleSince);
      idleSince = NOT_IDLE;
    }
  }
}
