package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.PeerWaker;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.impl.process.FlightEvents;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/** Work of a device loop after a poll of its queue (a turn). */
public final class Turn {
  /** Number of immediate retries. Later ones wait 1 ms. */
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
  long retried;

  Turn(Scheduler scheduler, String device) {
    this.scheduler = scheduler;
    this.device = device;
  }

  void poller(QueuePoller value) {
    poller = value;
  }

  void begin() {
    inTurn = true;
  }

  public long nanoTime() {
    return inTurn && poller != null ? poller.nanoTime(scheduler) : scheduler.nanoTime();
  }

  /**
   * Requests a poll of the queue unless one is running. Called after each use of the queue's endpoints, listeners and receives, because
   * only a poll finds results and arms the queue again.
   */
  public void wake() {
    if (!inTurn && poller != null) {
      poller.wake();
    }
  }

  /** Requests a call of {@link LoopEndpoint#turnEnd} at the end of this or the next poll. */
  public void dirty(LoopEndpoint endpoint) {
    if (!endpoint.isDirty) {
      endpoint.isDirty = true;
      dirty.add(endpoint);
    }
    wake();
  }

  /** Like {@link #dirty}, but does not request a poll: the awaited slots or completions cause one. */
  public void waiting(LoopEndpoint endpoint) {
    if (!endpoint.isWaiting) {
      endpoint.isWaiting = true;
      waiting.add(endpoint);
    }
  }

  /** Like {@link #waiting}, but requests a poll soon even if nothing completes, because the device was busy. */
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

  /** Called after a post. @param waker of the peer; null if the fabric wakes the peer */
  public void posted(PeerWaker waker) {
    retries = 0;
    if (waker != null && (toWake.isEmpty() || toWake.getLast() != waker)) {
      toWake.add(waker);
    }
    wake();
  }

  void repost(PostedReceives receives) {
    if (!toRepost.contains(receives)) {
      toRepost.add(receives);
    }
    wake();
  }

  /** Removes a closed endpoint whose operations have all completed. */
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
    } finally {
      toWake.clear();
      inTurn = false;
    }
  }
}
