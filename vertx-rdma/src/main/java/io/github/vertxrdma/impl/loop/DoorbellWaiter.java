package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.lang.invoke.VarHandle;

/** Waits for peers to ring, and polls by time for what they cannot announce. */
final class DoorbellWaiter implements Waiter {
  private static final Logger LOG = LoggerFactory.getLogger(DoorbellWaiter.class);

  private final CompletionPoller poller;
  private final CompletionQueue queue;
  private final ProgressTimer timer;
  private Doorbell bell;
  private FdWatch watch;
  private boolean sleeping;
  private int unringable;

  DoorbellWaiter(CompletionPoller poller, ProgressTimer timer) {
    this.poller = poller;
    this.queue = poller.queue();
    this.timer = timer;
  }

  /** Without a bell it goes on by time alone. */
  @Override
  public void start() {
    try {
      bell = Doorbell.open();
      watch = FdWatch.of(poller.eventLoop(), bell.fd(), this::rung);
      watch.start();
    } catch (IOException | RuntimeException e) {
      LOG.warn("No doorbell for peers on this host: " + e.getMessage() + ". They are served by a timer, milliseconds later");
      stop();
    }
  }

  private void rung() {
    try {
      if (bell != null) {
        bell.clear();
      }
    } catch (IOException e) {
      LOG.warn("The doorbell is broken: " + e.getMessage() + ". Peers are served by a timer, milliseconds later");
      stop();
    }
    poller.ready();
  }

  /** Sleeping is said first and the queue polled once more; only when that finds nothing may the loop sleep. */
  @Override
  public boolean settle(boolean found) {
    if (bell != null && !sleeping) {
      sleeping = true;
      boolean waiting = queue.unannounced() > 0;
      bell.sleeping(waiting);
      if (waiting) {
        // After it: who takes the question looks at once whether anybody sleeps.
        poller.sleepsWaiting();
        VarHandle.fullFence();
      }
      return false;
    }
    if (found || !queue.arm()) {
      return false;
    }
    if (watch != null) {
      watch.again();
    }
    return true;
  }

  @Override
  public void awake() {
    if (sleeping) {
      sleeping = false;
      bell.awake();
    }
  }

  @Override
  public long longestSleep() {
    if (queue.unannounced() > 0) {
      return SleepTimes.UNANNOUNCED.after(timer.idle());
    }
    return (bell == null || unringable > 0 ? SleepTimes.ALONE : SleepTimes.RUNG).after(timer.idle());
  }

  @Override
  public byte[] doorbell() {
    return bell == null ? Waiter.super.doorbell() : bell.descriptor();
  }

  @Override
  public boolean needed() {
    return bell != null && bell.needed();
  }

  @Override
  public boolean waited() {
    return bell != null && bell.waited();
  }

  @Override
  public void unringable(int change) {
    unringable += change;
  }

  @Override
  public void stop() {
    sleeping = false;
    if (watch != null) {
      watch.stop();
      watch = null;
    }
    if (bell != null) {
      try {
        bell.close();
      } catch (IOException e) {
        LOG.warn("The files of a doorbell could not be removed: " + e.getMessage());
      }
      bell = null;
    }
  }

  @Override
  public String describe() {
    return bell == null ? "a timer of 1 to 20 ms, since peers have no doorbell to ring"
      : "a doorbell, watched " + watch.describe() + ", and a timer";
  }
}
