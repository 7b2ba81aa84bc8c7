package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Operation;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of an endpoint: written by its thread, read by any. */
final class Counts {
  private final AtomicLongArray values = new AtomicLongArray(Counter.Event.values().length);

  void add(Counter.Event event) {
    int i = event.ordinal();
    values.setRelease(i, values.getPlain(i) + 1);
  }

  void add(Operation operation) {
    add(switch (operation) {
      case SEND, SEND_IMMEDIATE -> Counter.Event.SENDS;
      case RECEIVE -> Counter.Event.RECEIVES;
      case WRITE, WRITE_IMMEDIATE -> Counter.Event.WRITES;
      case READ -> Counter.Event.READS;
      case FETCH_ADD, COMPARE_SWAP -> Counter.Event.ATOMICS;
      case REMOTE_WRITE -> Counter.Event.REMOTE_WRITES;
    });
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
