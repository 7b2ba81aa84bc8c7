package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Thread that waits in a completion queue's selector while the polling thread sleeps, and calls a handler when a socket is ready. It lives
 * as long as the queue.
 *
 * <p>Only one thread uses the selector at a time: the sleeper from the state {@code SLEEPING} until {@code IDLE}. The polling thread's
 * selection could otherwise consume a wake-up. {@link #disarm} waits until the sleeper has left the selector.
 */
final class SelectorSleeper implements Runnable {
  private static final int IDLE = 0;
  private static final int ARMED = 1;
  private static final int SLEEPING = 2;
  /** The polling thread waits for the selector. */
  private static final int CALLED = 3;
  private static final int CLOSED = 4;

  private final Selector selector;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private final Consumer<SelectionKey> ignore = key -> {};
  private volatile Runnable handler = () -> {};
  private volatile long timeoutMillis;
  private final Thread thread;

  /** @throws ProviderException {@code LIMIT} if no thread can start. Closes the selector then */
  SelectorSleeper(Selector selector, ThreadFactory threads) {
    this.selector = selector;
    thread = threads.newThread(this);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      close();
      throw new ProviderException(ProviderException.Reason.LIMIT,
        "nio: cannot create a completion queue: no thread can be started. Raise the limit with 'ulimit -u'", e);
    }
  }

  /** @param handler called on the sleeper's thread when a socket is ready or the timeout has passed */
  void handler(Runnable handler) {
    this.handler = handler;
  }

  /** Returns whether the sleeper still waits. If it has not begun, disarms it and returns false. */
  boolean undisturbed() {
    int now = state.get();
    if (now == ARMED) {
      return !state.compareAndSet(ARMED, IDLE);
    }
    return now == SLEEPING;
  }

  /**
   * Lets the sleeper wait in the selector, unless it already does.
   *
   * @param millis timeout, after which the handler is called; 0 for none
   * @return false if a socket may be ready
   */
  boolean arm(long millis) {
    if (undisturbed()) {
      return true;
    }
    try {
      if (selector.selectNow(ignore) > 0) {
        return false;
      }
    } catch (IOException e) {
      return false;
    }
    timeoutMillis = millis;
    state.set(ARMED);
    LockSupport.unpark(thread);
    return true;
  }

  /** Ends the wait, so that the polling thread may use and change the selector. */
  void disarm() {
    if (state.get() == IDLE || state.compareAndSet(ARMED, IDLE)) {
      return;
    }
    if (state.compareAndSet(SLEEPING, CALLED)) {
      selector.wakeup();
      while (state.get() == CALLED) {
        Thread.yield();
      }
    }
  }

  void close() {
    disarm();
    state.set(CLOSED);
    LockSupport.unpark(thread);
    try {
      selector.close();
    } catch (IOException e) {
      // The selector is no longer used.
    }
  }

  @Override
  public void run() {
    while (state.get() != CLOSED) {
      if (state.compareAndSet(ARMED, SLEEPING)) {
        sleep();
        if (state.compareAndSet(SLEEPING, IDLE)) {
          handler.run();
        } else {
          state.compareAndSet(CALLED, IDLE);
        }
      } else {
        LockSupport.park(this);
      }
    }
  }

  private void sleep() {
    try {
      selector.select(ignore, timeoutMillis);
    } catch (IOException | ClosedSelectorException e) {
      // The next poll reports the failure.
    }
  }
}
