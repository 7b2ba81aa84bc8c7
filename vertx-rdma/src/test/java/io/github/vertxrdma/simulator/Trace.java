package io.github.vertxrdma.simulator;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Everything that happened in a conversation, in its order: a hash of all of it, and the last of it in words where somebody wants to read.
 */
final class Trace {
  private static final int KEPT = 400;

  private final LongSupplier clock;
  private final ArrayDeque<String> last = new ArrayDeque<>();
  private boolean kept;
  private long hash = 0xcbf29ce484222325L;
  private long events;

  /** @param kept whether the last events are kept in words */
  Trace(LongSupplier clock, boolean kept) {
    this.clock = clock;
    this.kept = kept;
  }

  /** Notes an event. @param node that it happened at; -1 for none */
  void note(String what, int node, long a, long b) {
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

  /** Adds words for a reader, which are no part of the hash. */
  void say(Object words) {
    if (kept) {
      last.add("    " + words);
    }
  }

  /** Adds the last words for a reader: what comes after is of no interest to him. */
  void end(Object words) {
    say(words);
    kept = false;
  }

  private void mix(long value) {
    hash = Long.rotateLeft((hash ^ value) * 0x9E3779B97F4A7C15L, 29);
  }

  long hash() {
    return hash;
  }

  long events() {
    return events;
  }

  String text() {
    return String.join("\n", last);
  }
}
