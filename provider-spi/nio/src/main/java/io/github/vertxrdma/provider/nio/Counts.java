package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Counter;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of an endpoint: written by its thread, read by any. */
final class Counts {
  private static final int EVENTS = Counter.Event.values().length;

  private final AtomicLongArray values = new AtomicLongArray(EVENTS);

  void add(Counter.Event event) {
    int i = event.ordinal();
    values.setRelease(i, values.getPlain(i) + 1);
  }

  Counter counter(Counter.Event event) {
    return new View(event.ordinal());
  }

  private final class View implements Counter {
    private final int index;
    private volatile long base;

    View(int index) {
      this.index = index;
    }

    @Override
    public long read() {
      return values.getAcquire(index) - base;
    }

    @Override
    public void reset() {
      base = values.getAcquire(index);
    }
  }
}
