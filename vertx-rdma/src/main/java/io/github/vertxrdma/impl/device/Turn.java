package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.events.FlightEvents;
import io.github.vertxrdma.impl.loop.PeerWaker;
import io.github.vertxrdma.impl.loop.QueuePoller;
import io.github.vertxrdma.impl.loop.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Work that is due at the end of a turn of a device loop: receives to post again, endpoints that have something to send or wait for slots
 * and completions, peers to wake. Confined to the loop.
 */
public final class Turn {
  /** Retries at once before the millisecond timer takes over. */
  private static final int QUICK_RETRIES = 32;

  private final Scheduler scheduler;
  private final String device;
  private final ArrayList<LoopEndpoint> dirty = new ArrayList<>();
  private final ArrayDeque<LoopEndpoint> waiting = new ArrayDeque<>();
  private final ArrayList<PostedReceives> toRepost = new ArrayList<>();
  private final ArrayList<PeerWaker> toWake = new ArrayList<>();
  private QueuePoller poller;
  private int retries;
  private boolean retryScheduled;
  private boolean inTurn;
  /** The time of the turn, once somebody has asked for it. */
  private long time;
  private boolean timed;
  long retried;

  /** @param device for events */
  Turn(Scheduler scheduler, String device) {
    this.scheduler = scheduler;
    this.device = device;
  }

  /** Sets who asks for turns. */
  void poller(QueuePoller value) {
    poller = value;
  }

  /** Notes that a turn has begun, whose end will come; or that it goes on with more completions. */
  void begin() {
    inTurn = true;
    timed = false;
  }

  /**
   * Nanoseconds, as {@link Scheduler#nanoTime} has them, when somebody asked first since {@link #begin}: a look at the clock costs as much
   * as a post.
   */
  public long nanoTime() {
    if (!inTurn) {
      return scheduler.nanoTime();
    }
    if (!timed) {
      timed = true;
      time = scheduler.nanoTime();
    }
    return time;
  }

  /**
   * Asks for a turn, if none is under way. To be called after each use of the queue's endpoints, listeners and receives: what they have to
   * report may be found by a poll alone, and what they wait for is known to a sleeper only if the queue is armed again.
   */
  public void wake() {
    if (!inTurn && poller != null) {
      poller.wake();
    }
  }

  /** Gives an endpoint its turn end: something changed. */
  public void dirty(LoopEndpoint endpoint) {
    if (!endpoint.isDirty) {
      endpoint.isDirty = true;
      dirty.add(endpoint);
    }
    wake();
  }

  /** Gives an endpoint its turn end after the next turn: it waits for slots or completions. */
  public void waiting(LoopEndpoint endpoint) {
    if (!endpoint.isWaiting) {
      endpoint.isWaiting = true;
      waiting.add(endpoint);
    }
  }

  /** Asks the fabric again soon, even if nothing completes: it was busy. */
  public void again(LoopEndpoint endpoint) {
    waiting(endpoint);
    if (!retryScheduled) {
      retryScheduled = true;
      retried++;
      if (retries++ < QUICK_RETRIES) {
        scheduler.execute(this::retry);
      } else {
        scheduler.schedule(this::retry, 1, TimeUnit.MILLISECONDS);
        FlightEvents.retry(device, retried);
      }
    }
  }

  private void retry() {
    retryScheduled = false;
    wake();
  }

  /** Notes a post. @param waker of the peer, null if the fabric wakes it */
  public void posted(PeerWaker waker) {
    retries = 0;
    if (waker != null && (toWake.isEmpty() || toWake.getLast() != waker)) {
      toWake.add(waker);
    }
    wake();
  }

  /** Posts receives again that were refused. */
  void repost(PostedReceives receives) {
    if (!toRepost.contains(receives)) {
      toRepost.add(receives);
    }
    wake();
  }

  /** Lets go of an endpoint: it was closed, and the fabric owns nothing of it. */
  public void forget(LoopEndpoint endpoint) {
    dirty.remove(endpoint);
    waiting.remove(endpoint);
  }

  void end() {
    inTurn = true;
    try {
      for (int i = toRepost.size() - 1; i >= 0; i--) {
        if (toRepost.get(i).repost()) {
          toRepost.remove(i);
        }
      }
      for (int i = waiting.size(); i > 0; i--) {
        LoopEndpoint endpoint = waiting.poll();
        endpoint.isWaiting = false;
        dirty(endpoint);
      }
      for (int i = 0; i < dirty.size(); i++) {
        LoopEndpoint endpoint = dirty.get(i);
        endpoint.isDirty = false;
        try {
          endpoint.turnEnd();
        } catch (Throwable e) {
          endpoint.fail(e);
        }
      }
      dirty.clear();
      for (int i = 0; i < toWake.size(); i++) {
        toWake.get(i).wake();
      }
      toWake.clear();
    } finally {
      inTurn = false;
      timed = false;
    }
  }
}
