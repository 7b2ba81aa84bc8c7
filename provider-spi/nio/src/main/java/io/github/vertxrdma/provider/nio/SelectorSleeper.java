package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Thread that waits in a completion queue's selector while the polling thread sleeps, and calls a handler when a socket is ready. It lives
 * as long as the queue.
 *
 * <p>The thread holds the monitor of this object while it uses the selector. {@link #disarm} waits for the monitor, because a concurrent
 * selection of the polling thread could consume a wake-up.
 */
final class SelectorSleeper implements Runnable {
  private final Selector selector;
  private final Consumer<SelectionKey> ignore = key -> {};
  private volatile Runnable handler = () -> {};
  private long timeoutMillis;
  /** True from {@link #arm} until a socket is ready, the timeout has passed, or {@link #disarm}. */
  private volatile boolean armed;
  private volatile boolean closed;

  /** @throws ProviderException {@code LIMIT} if no thread can start. Closes the selector then */
  SelectorSleeper(Selector selector, ThreadFactory threads) {
    this.selector = selector;
    try {
      threads.newThread(this).start();
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

  boolean isArmed() {
    return armed;
  }

  /**
   * Lets the sleeper wait in the selector, unless it already does.
   *
   * @param millis timeout, after which the handler is called; 0 for none
   * @return false if a socket may be ready
   */
  boolean arm(long millis) {
    if (armed) {
      return true;
    }
    try {
      if (selector.selectNow(ignore) > 0) {
        return false;
      }
    } catch (IOException e) {
      return false;
    }
    synchronized (this) {
      timeoutMillis = millis;
      armed = true;
      notifyAll();
    }
    return true;
  }

  /** Ends the wait, so that the polling thread may use and change the selector. */
  void disarm() {
    if (armed) {
      armed = false;
      // Also ends a selection that has not begun yet.
      selector.wakeup();
      synchronized (this) {
        notifyAll();
      }
    }
  }

  void close() {
    closed = true;
    armed = true;
    disarm();
    try {
      selector.close();
    } catch (IOException e) {
      // The selector is no longer used.
    }
  }

  @Override
  public void run() {
    while (!closed) {
      if (sleep()) {
        handler.run();
      }
    }
  }

  /** Waits until the sleeper is armed, and then for a socket. @return false if the sleeper was disarmed */
  private synchronized boolean sleep() {
    try {
      while (!armed && !closed) {
        wait();
      }
      selector.select(ignore, timeoutMillis);
    } catch (IOException | ClosedSelectorException e) {
      // The next poll reports the failure.
    } catch (InterruptedException e) {
      // No code interrupts this thread.
    }
    boolean woke = armed;
    armed = false;
    return woke;
  }
}
