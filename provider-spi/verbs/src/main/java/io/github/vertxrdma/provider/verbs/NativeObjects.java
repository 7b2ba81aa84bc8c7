package io.github.vertxrdma.provider.verbs;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts this process's native objects, so that tests detect leaks. Thread-safe. */
final class NativeObjects {
  enum Kind {
    CONTEXT, REGION, COMPLETION_QUEUE, QUEUE_PAIR, CONNECTION_ID
  }

  private static final AtomicIntegerArray COUNTS = new AtomicIntegerArray(Kind.values().length);

  private NativeObjects() {
  }

  static void made(Kind kind) {
    COUNTS.incrementAndGet(kind.ordinal());
  }

  static void destroyed(Kind kind) {
    COUNTS.decrementAndGet(kind.ordinal());
  }

  static Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (Kind kind : Kind.values()) {
      counts.put("verbs " + kind, (long) COUNTS.get(kind.ordinal()));
    }
    return counts;
  }
}
