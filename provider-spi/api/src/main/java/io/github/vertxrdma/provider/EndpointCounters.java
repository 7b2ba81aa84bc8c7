package io.github.vertxrdma.provider;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** For providers: the counters of an endpoint whose device has none. Written by the polling thread, read by any. */
public final class EndpointCounters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] counts = new long[Counter.Event.values().length];
  /** Counts at the last reset; null before the first. */
  private volatile long[] bases;

  /** Counts an operation that succeeded, or a completion of a peer's. */
  public void succeeded(Operation operation) {
    add(operation.counter());
  }

  /** Counts an operation that failed. */
  public void failed() {
    add(Counter.Event.ERRORS);
  }

  private void add(Counter.Event event) {
    int i = event.ordinal();
    ELEMENT.setOpaque(counts, i, counts[i] + 1);
  }

  /** Counts like {@link #succeeded}, for operations whose successes several threads count; all of them by this method. */
  public void succeededOnAnyThread(Operation operation) {
    ELEMENT.getAndAdd(counts, operation.counter().ordinal(), 1L);
  }

  private synchronized long[] bases() {
    if (bases == null) {
      bases = new long[counts.length];
    }
    return bases;
  }

  /** A counter, for {@link Endpoint#counter}. */
  public Counter counter(Counter.Event event) {
    int i = event.ordinal();
    return new Counter() {
      @Override
      public long read() {
        long[] since = bases;
        return (long) ELEMENT.getOpaque(counts, i) - (since == null ? 0 : (long) ELEMENT.getOpaque(since, i));
      }

      @Override
      public void reset() {
        ELEMENT.setOpaque(bases(), i, (long) ELEMENT.getOpaque(counts, i));
      }
    };
  }
}
