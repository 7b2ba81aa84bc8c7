package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.Attempts;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Waits in a completion queue's selector while its polling thread sleeps, and calls a handler when a socket is ready. Its daemon thread
 * starts with the first {@link #arm} and lives as long as the queue.
 *
 * <p>The selector belongs to one thread at a time. The sleeper has it from the state {@code SLEEPING} until {@code IDLE}. The polling
 * thread takes it back with {@link #disarm}, which waits until the sleeper has left it. Otherwise the polling thread's selection could
 * consume a wake-up.
 */
final class SelectorSleeper implements Runnable {
  private static final int IDLE = 0;
  private static final int ARMED = 1;
  private static final int SLEEPING = 2;
  /** The polling thread has asked for the selector. */
  private static final int CALLED = 3;
  private static final int CLOSED = 4;
  private static final Attempts.Limits STARTS = Attempts.Limits.endless(100, 5_000);

  private final Selector selector;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private final Consumer<SelectionKey> ignore = key -> {};
  private volatile Runnable handler;
  private volatile long timeoutMillis;
  private final ThreadFactory threads;
  private final Attempts starts = new Attempts(STARTS);
  private long nextStart = System.nanoTime();
  private Thread thread;

  SelectorSleeper(Selector selector) {
    this(selector, Thread.ofPlatform().daemon().name("vertx-rdma-nio-wakeup").factory());
  }

  SelectorSleeper(Selector selector, ThreadFactory threads) {
    this.selector = selector;
    this.threads = threads;
  }

  /** @param handler called on the sleeper's thread when a socket is ready or the time has passed */
  void handler(Runnable handler) {
    this.handler = handler;
  }

  /** Returns whether the sleeper sleeps and no socket has become ready. Disarms a sleeper that has not begun to sleep. */
  boolean undisturbed() {
    int now = state.get();
    if (now == ARMED) {
      return !state.compareAndSet(ARMED, IDLE);
    }
    return now == SLEEPING;
  }

  /**
   * Starts to wait in the selector, unless the sleeper already does.
   *
   * @param millis time after which the handler is called in any case, 0 for never
   * @return false if a channel may be ready, or no thread can be started
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
    return begin(millis);
  }

  private boolean begin(long millis) {
    if (handler == null || state.get() != IDLE) {
      return true;
    }
    if (thread == null && !start()) {
      return false;
    }
    timeoutMillis = millis;
    state.set(ARMED);
    LockSupport.unpark(thread);
    return true;
  }

  /** Returns false if no thread can start; the caller then keeps polling. Attempts are rare, since each takes milliseconds. */
  private boolean start() {
    long now = System.nanoTime();
    if (now - nextStart < 0) {
      return false;
    }
    try {
      Thread made = threads.newThread(this);
      made.start();
      thread = made;
      return true;
    } catch (OutOfMemoryError e) {
      nextStart = now + starts.next(false, 0);
      return false;
    }
  }

  /** Takes the selector back for the polling thread, which may then change the channels and their operations. */
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
      // The next poll reports the cause.
    }
  }
}
