package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts of one endpoint: written by its thread, read by any. */
final class Counters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int[] EVENT = new int[Operation.values().length];

  static {
    for (Operation operation : Operation.values()) {
      EVENT[operation.ordinal()] = (switch (operation) {
        case SEND, SEND_IMMEDIATE -> Counter.Event.SENDS;
        case RECEIVE -> Counter.Event.RECEIVES;
        case WRITE, WRITE_IMMEDIATE -> Counter.Event.WRITES;
        case READ -> Counter.Event.READS;
        case FETCH_ADD, COMPARE_SWAP -> Counter.Event.ATOMICS;
        case REMOTE_WRITE -> Counter.Event.REMOTE_WRITES;
      }).ordinal();
    }
  }

  private final long[] counts = new long[Counter.Event.values().length];
  private final long[] resets = new long[counts.length];

  void succeeded(Operation operation) {
    add(EVENT[operation.ordinal()]);
  }

  void failed() {
    add(Counter.Event.ERRORS.ordinal());
  }

  private void add(int event) {
    ELEMENT.setOpaque(counts, event, counts[event] + 1);
  }

  Counter of(Counter.Event event) {
    int index = event.ordinal();
    return new Counter() {
      @Override
      public long read() {
        return (long) ELEMENT.getOpaque(counts, index) - (long) ELEMENT.getOpaque(resets, index);
      }

      @Override
      public void reset() {
        ELEMENT.setOpaque(resets, index, (long) ELEMENT.getOpaque(counts, index));
      }
    };
  }
}
