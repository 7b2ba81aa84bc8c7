package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Operation;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of an endpoint. */
final class Counts {
  private final AtomicLongArray counts = new AtomicLongArray(Counter.Event.values().length);

  void add(Counter.Event event) {
    counts.incrementAndGet(event.ordinal());
  }

  void succeeded(Operation operation) {
    add(switch (operation) {
      case SEND, SEND_IMMEDIATE -> Counter.Event.SENDS;
      case WRITE, WRITE_IMMEDIATE -> Counter.Event.WRITES;
      case READ -> Counter.Event.READS;
      case FETCH_ADD, COMPARE_SWAP -> Counter.Event.ATOMICS;
      case RECEIVE -> Counter.Event.RECEIVES;
      case REMOTE_WRITE -> Counter.Event.REMOTE_WRITES;
    });
  }

  Counter of(Counter.Event event) {
    return new Counter() {
      @Override
      public long read() {
        return counts.get(event.ordinal());
      }

      @Override
      public void reset() {
        counts.set(event.ordinal(), 0);
      }
    };
  }
}
