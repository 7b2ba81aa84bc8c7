package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts what completed, since several providers refuse fi_cntr_open or count nothing. Written by the polling thread, read by any. */
final class Counters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
  private final long[] counts = new long[Counter.Event.values().length];
  private final long[] bases = new long[counts.length];

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

  void add(Counter.Event event) {
    int i = event.ordinal();
    ELEMENT.setOpaque(counts, i, counts[i] + 1);
  }

  Counter of(Counter.Event event) {
    int i = event.ordinal();
    return new Counter() {
      @Override
      public long read() {
        return (long) ELEMENT.getOpaque(counts, i) - (long) ELEMENT.getVolatile(bases, i);
      }

      @Override
      public void reset() {
        ELEMENT.setVolatile(bases, i, (long) ELEMENT.getOpaque(counts, i));
      }
    };
  }
}
