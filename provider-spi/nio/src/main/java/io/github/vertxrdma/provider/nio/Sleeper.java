package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Waits in a queue's selector while its polling thread sleeps. It touches no socket: it learns that one is ready and says so.
 * Its daemon thread starts with the first {@link #arm} and lives as long as the queue.
 *
 * <p>The selector belongs to one thread at a time. The sleeper has it between {@code SLEEPING} and {@code IDLE}; the polling thread
 * gets it back with {@link #disarm}, which waits for that, so that no wake-up is lost to a selection of its own.
 */
final class Sleeper implements Runnable {
  private static final int IDLE = 0;
  /** Asked for, and not yet begun. */
  private static final int ARMED = 1;
  private static final int SLEEPING = 2;
  /** The polling thread wants the selector back. */
  private static final int CALLED = 3;
  private static final int CLOSED = 4;

  private final Selector selector;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private final Consumer<SelectionKey> ignore = key -> { };
  private volatile Runnable handler;
  private volatile long timeoutMillis;
  private Thread thread;

  Sleeper(Selector selector) {
    this.selector = selector;
  }

  void handler(Runnable handler) {
    this.handler = handler;
  }

  /** Whether nothing has happened to any socket since it was armed. Takes the order back if it was not begun. */
  boolean undisturbed() {
    int now = state.get();
    if (now == ARMED) {
      return !state.compareAndSet(ARMED, IDLE);
    }
    return now == SLEEPING;
  }

  /** @param millis when to wake up at the latest, 0 for never */
  void arm(long millis) {
    if (handler == null || state.get() != IDLE) {
      return;
    }
    timeoutMillis = millis;
    state.set(ARMED);
    if (thread == null) {
      thread = new Thread(this, "vertx-rdma-nio-wakeup");
      thread.setDaemon(true);
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  /** From here on the selector is the polling thread's, who changes what is waited for. */
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
