package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Waits in a queue's selector while its polling thread sleeps. It touches no socket: it learns that one is ready and says so.
 * Its daemon thread starts with the first {@link #arm} and lives as long as the queue.
 */
final class Sleeper implements Runnable {
  private static final int IDLE = 0;
  private static final int ARMED = 1;
  private static final int CLOSED = 2;

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

  /** @param millis when to wake up at the latest, 0 for never */
  void arm(long millis) {
    if (handler == null) {
      return;
    }
    timeoutMillis = millis;
    if (!state.compareAndSet(IDLE, ARMED)) {
      return;
    }
    if (thread == null) {
      thread = new Thread(this, "vertx-rdma-nio-wakeup");
      thread.setDaemon(true);
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  /** From here on the selector is the polling thread's. */
  void disarm() {
    if (state.get() == ARMED && state.compareAndSet(ARMED, IDLE)) {
      selector.wakeup();
    }
  }

  void close() {
    state.set(CLOSED);
    selector.wakeup();
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    while (true) {
      switch (state.get()) {
        case CLOSED -> {
          return;
        }
        case ARMED -> {
          if (sleep() && state.compareAndSet(ARMED, IDLE)) {
            handler.run();
          }
        }
        default -> LockSupport.park(this);
      }
    }
  }

  private boolean sleep() {
    try {
      long millis = timeoutMillis;
      return selector.select(ignore, millis) > 0 || millis > 0;
    } catch (IOException | ClosedSelectorException e) {
      return true;
    }
  }
}
