package io.github.vertxrdma.provider;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counters of an endpoint. The polling thread counts; any thread may read. */
public final class EndpointCounters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int EVENTS = Counter.Event.values().length;

  private final long[] messages = new long[Counter.Event.RECEIVES.ordinal() + 1];
  /** Counts of events other than sends and receives; null before the first. */
  private volatile long[] others;
  private volatile long[] bases;

  public void succeeded(Operation operation) {
    add(operation.counter());
  }

  public void failed() {
    add(Counter.Event.ERRORS);
  }

  private void add(Counter.Event event) {
    int i = event.ordinal();
    long[] counts = counts(i);
    ELEMENT.setOpaque(counts, i, counts[i] + 1);
  }

  private long[] counts(int event) {
    return event < messages.length ? messages : others();
  }

  private long[] others() {
    long[] made = others;
    return made == null ? makeOthers() : made;
  }

  private synchronized long[] makeOthers() {
    if (others == null) {
      others = new long[EVENTS];
    }
    return others;
  }

  /** Atomic form of {@link #succeeded}. Not to be mixed with it for one operation. */
  public void succeededOnAnyThread(Operation operation) {
    int i = operation.counter().ordinal();
    ELEMENT.getAndAdd(counts(i), i, 1L);
  }

  private synchronized long[] bases() {
    if (bases == null) {
      bases = new long[EVENTS];
    }
    return bases;
  }

  public Counter counter(Counter.Event event) {
    int i = event.ordinal();
    return new Counter() {
      @Override
      public long read() {
        long[] since = bases;
        return (long) ELEMENT.getOpaque(counts(i), i) - (since == null ? 0 : (long) ELEMENT.getOpaque(since, i));
      }

      @Override
      public void reset() {
        ELEMENT.setOpaque(bases(), i, (long) ELEMENT.getOpaque(counts(i), i));
      }
    };
  }
}
