package io.github.vertxrdma.provider;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** For providers: the counters of an endpoint whose device has none. Written by the polling thread, read by any. */
public final class EndpointCounters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int EVENTS = Counter.Event.values().length;

  /** Of the first events, sends and receives. */
  private final long[] messages = new long[Counter.Event.RECEIVES.ordinal() + 1];
  /** Of all others, by event; null before the first: most endpoints have messages alone. */
  private volatile long[] others;
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

  /** Counts like {@link #succeeded}, for operations whose successes several threads count; all of them by this method. */
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

  /** A counter, for {@link Endpoint#counter}. */
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
