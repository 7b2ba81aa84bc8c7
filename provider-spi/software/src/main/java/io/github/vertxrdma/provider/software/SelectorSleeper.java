package io.github.vertxrdma.provider.software;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Waits in a completion queue's selector while its polling thread sleeps. It touches no socket: it learns that one is ready and says so.
 * Its daemon thread starts with the first {@link #arm} and lives as long as the queue.
 *
 * <p>The selector belongs to one thread at a time. The sleeper has it between {@code SLEEPING} and {@code IDLE}; the polling thread
 * gets it back with {@link #disarm}, which waits for that, so that no wake-up is lost to a selection of its own.
 */
public final class SelectorSleeper implements Runnable {
  private static final int IDLE = 0;
  /** Asked for, and not yet begun. */
  private static final int ARMED = 1;
  private static final int SLEEPING = 2;
  /** The polling thread wants the selector back. */
  private static final int CALLED = 3;
  private static final int CLOSED = 4;

  private final Selector selector;
  private final String name;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private final Consumer<SelectionKey> ignore = key -> { };
  private volatile Runnable handler;
  private volatile long timeoutMillis;
  private Thread thread;

  /** @param name of its thread */
  public SelectorSleeper(Selector selector, String name) {
    this.selector = selector;
    this.name = name;
  }

  /** @param handler called on the sleeper's thread when a socket is ready or the time has come */
  public void handler(Runnable handler) {
    this.handler = handler;
  }

  /** Whether nothing has happened to any socket since it was armed. Takes the order back if it was not begun. */
  public boolean undisturbed() {
    int now = state.get();
    if (now == ARMED) {
      return !state.compareAndSet(ARMED, IDLE);
    }
    return now == SLEEPING;
  }

  /** Sleeps from now on, unless it does. @param millis when to wake up at the latest, 0 for never @return false if a channel may be ready */
  public boolean arm(long millis) {
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
    begin(millis);
    return true;
  }

  private void begin(long millis) {
    if (handler == null || state.get() != IDLE) {
      return;
    }
    timeoutMillis = millis;
    state.set(ARMED);
    if (thread == null) {
      thread = new Thread(this, name);
      thread.setDaemon(true);
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  /** From here on the selector is the polling thread's, who changes what is waited for. */
  public void disarm() {
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

  /** Ends its thread, and closes the selector. */
  public void close() {
    disarm();
    state.set(CLOSED);
    LockSupport.unpark(thread);
    try {
      selector.close();
    } catch (IOException e) {
      // It is of no use any more.
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
      // The poll that follows finds the reason.
    }
  }
}
