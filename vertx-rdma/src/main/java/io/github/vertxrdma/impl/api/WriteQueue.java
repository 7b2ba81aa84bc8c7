package io.github.vertxrdma.impl.api;

import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/** Counts the bytes of written messages that are not posted yet, and calls the drain handler. Thread-safe. */
final class WriteQueue {
  private static final AtomicLongFieldUpdater<WriteQueue> BYTES = AtomicLongFieldUpdater.newUpdater(WriteQueue.class, "bytes");
  private static final int DEFAULT_MAX_SIZE = 256 << 10;

  private final ContextInternal context;
  private volatile long bytes;
  private volatile int maxSize = DEFAULT_MAX_SIZE;
  private volatile boolean full;
  private volatile Handler<Void> drainHandler;

  WriteQueue(ContextInternal context) {
    this.context = context;
  }

  void maxSize(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("invalid maximum size of a write queue: " + value + " bytes. Use at least 1");
    }
    maxSize = value;
    if (isFull()) {
      full = true;
    }
  }

  void drainHandler(Handler<Void> value) {
    drainHandler = value;
  }

  boolean isFull() {
    return bytes >= maxSize;
  }

  void added(int size) {
    if (BYTES.addAndGet(this, size) >= maxSize) {
      full = true;
    }
  }

  void withdrawn(int size) {
    BYTES.addAndGet(this, -size);
    full = false;
  }

  void removed(int size) {
    if (BYTES.addAndGet(this, -size) <= maxSize / 2 && full) {
      full = false;
      // Runs in a task: a write of the handler may fail immediately and call it recursively. A worker that saw the queue full sets its
      // handler before.
      context.runOnContext(v -> {
        Handler<Void> handler = drainHandler;
        if (handler != null) {
          handler.handle(null);
        }
      });
    }
  }
}
