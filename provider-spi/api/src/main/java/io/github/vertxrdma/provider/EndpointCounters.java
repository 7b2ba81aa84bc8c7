package io.github.vertxrdma.provider;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** For providers: counters of an endpoint whose device has none. Written by the polling thread, readable from any thread. */
public final class EndpointCounters {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int EVENTS = Counter.Event.values().length;

  /** Counts of sends and receives. */
  private final long[] messages = new long[Counter.Event.RECEIVES.ordinal() + 1];
  /** Counts of all other events; null before the first, because most endpoints only have messages. */
  private volatile long[] others;
  /** Counts at the last reset; null before the first. */
  private volatile long[] bases;

  /** Counts a successful operation, or a completion of a peer's operation. */
  public void succeeded(Operation operation) {
    add(operation.counter());
  }

  /** Counts a failed operation. */
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

  /** Counts like {@link #succeeded}, for operations whose successes several threads count. All of them must use this method. */
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

  /** Returns a counter, for {@link Endpoint#counter}. */
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
