package io.github.vertxrdma.simulator.world;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/** Hash of all events of a run. Also keeps the last events as text, if requested. */
public final class Trace {
  private static final int KEPT = 400;

  private final LongSupplier clock;
  private final ArrayDeque<String> last = new ArrayDeque<>();
  private boolean kept;
  private long hash = 0xcbf29ce484222325L;
  private long events;

  public Trace(LongSupplier clock, boolean kept) {
    this.clock = clock;
    this.kept = kept;
  }

  /** @param node number of the node; -1 for none */
  public void note(String what, int node, long a, long b) {
    events++;
    mix(clock.getAsLong());
    mix(what.hashCode());
    mix((long) node << 56 ^ a);
    mix(b);
    if (kept) {
      if (last.size() == KEPT) {
        last.poll();
      }
      last.add(clock.getAsLong() / 1000 + " us  node " + node + "  " + what + ' ' + a + ' ' + b);
    }
  }

  /** Adds text without changing the hash. */
  public void say(Object words) {
    if (kept) {
      last.add("    " + words);
    }
  }

  /** Adds the last text. Later events change only the hash. */
  public void end(Object words) {
    say(words);
    kept = false;
  }

  private void mix(long value) {
    hash = Long.rotateLeft((hash ^ value) * 0x9E3779B97F4A7C15L, 29);
  }

  public long hash() {
    return hash;
  }

  public long events() {
    return events;
  }

  public String text() {
    return String.join("\n", last);
  }
}
