package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.lang.invoke.VarHandle;

/**
 * Waits until peers wake the loop through a {@link WakeSocket}. A timer also polls, for operations whose completion wakes nothing. If the
 * loop cannot watch fds, only the timer polls.
 */
final class WakeSocketWaiter implements Waiter {
  private static final Logger LOG = LoggerFactory.getLogger(WakeSocketWaiter.class);

  private final CompletionPoller poller;
  private final CompletionQueue queue;
  private WakeSocket waker;
  private FdWatch watch;
  private boolean sleeping;
  private int unwakeable;

  WakeSocketWaiter(CompletionPoller poller) {
    this.poller = poller;
    this.queue = poller.queue();
  }

  @Override
  public void prepare() {
    if (!FdWatch.possible(poller.eventLoop())) {
      return;
    }
    try {
      waker = WakeSocket.open();
      watch = FdWatch.of(poller.eventLoop(), waker.fd(), this::woken);
      watch.prepare();
    } catch (IOException | RuntimeException e) {
      pollByTime(e);
    }
  }

  @Override
  public void start() {
    try {
      if (waker != null) {
        watch.start();
      }
    } catch (RuntimeException e) {
      pollByTime(e);
    }
  }

  private void pollByTime(Exception cause) {
    LOG.warn(
      "cannot create a wake-up socket for peers on this host: " + FileErrors.words(cause) + ". A timer notices their messages, "
        + "milliseconds later");
    stop();
  }

  private void woken() {
    try {
      if (waker != null) {
        waker.clear();
      }
    } catch (IOException e) {
      LOG.warn("cannot read the wake-up socket: " + e.getMessage() + ". A timer notices messages of peers on this host, milliseconds "
        + "later");
      stop();
    }
    poller.ready();
  }

  /**
   * Marks the loop as asleep in the first call after a wake-up. That call returns false: the loop must not sleep yet, but poll once more to
   * find posts made before the mark.
   */
  @Override
  public boolean prepareSleep(boolean found) {
    if (waker != null && !sleeping) {
      sleeping = true;
      boolean waiting = queue.unannounced() > 0;
      waker.sleeping(waiting);
      if (waiting) {
        // After the mark, because a peer that gets this request immediately checks whether this side sleeps.
        poller.sleepsWaiting();
        VarHandle.fullFence();
      }
      return false;
    }
    if (found || !queue.arm()) {
      return false;
    }
    if (waker != null) {
      watch.again();
    }
    return true;
  }

  @Override
  public void cancelSleep() {
    if (sleeping) {
      sleeping = false;
      waker.awake();
    }
  }

  @Override
  public long longestSleep() {
    if (queue.unannounced() > 0) {
      return SleepTimes.UNANNOUNCED.after(poller.timer.idle());
    }
    return (waker == null || unwakeable > 0 ? SleepTimes.ALONE : SleepTimes.WOKEN_BY_PEERS).after(poller.timer.idle());
  }

  @Override
  public byte[] wakeAddress() {
    return waker == null ? Waiter.super.wakeAddress() : waker.descriptor();
  }

  @Override
  public boolean takePosted() {
    return waker != null && waker.takePosted();
  }

  @Override
  public boolean takeWaiting() {
    return waker != null && waker.takeWaiting();
  }

  @Override
  public void unwakeable(int change) {
    unwakeable += change;
  }

  @Override
  public Future<Void> stop() {
    sleeping = false;
    WakeSocket socket = waker;
    waker = null;
    Future<Void> unwatched = watch == null ? Future.succeededFuture() : watch.stop();
    return socket == null ? unwatched : unwatched.onComplete(done -> close(socket));
  }

  private static void close(WakeSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("cannot remove the files of a wake-up socket: " + RuntimeFolder.words(e));
    }
  }
}
