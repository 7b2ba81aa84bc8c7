package io.github.vertxrdma.provider.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Until when endpoints of a completion queue must have got somewhere. Confined to one thread. */
final class Deadlines {
  /** A task that an endpoint is to do in time. */
  enum Kind {
    /** Connect; within the time of its options. */
    CONNECT(0),
    /** Post a further empty write, while connecting by an exchange; after pauses of its own. */
    PROBE(0),
    /** Say why it flushes work: the connection manager's event or an asynchronous one comes a little later. */
    EXPLAIN(500),
    /** Give back all that was posted, after its end: siw at times forgets some of it. */
    FLUSH(1000),
    /** Take the last receive of a shared queue, after its end: not every device says that it has. */
    LAST_RECEIVE(1000);

    private final long nanos;

    Kind(long millis) {
      nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }
  }

  private record Deadline(VerbsEndpoint endpoint, Kind kind, long at) {
  }

  private final List<Deadline> deadlines = new ArrayList<>();
  private int connecting;

  /** Starts the time that the kind allows, unless it runs already. */
  void start(VerbsEndpoint endpoint, Kind kind) {
    start(endpoint, kind, kind.nanos);
  }

  void start(VerbsEndpoint endpoint, Kind kind, long nanos) {
    for (Deadline known : deadlines) {
      if (known.endpoint == endpoint && known.kind == kind) {
        return;
      }
    }
    deadlines.add(new Deadline(endpoint, kind, System.nanoTime() + nanos));
    connecting += kind == Kind.CONNECT ? 1 : 0;
  }

  void stop(VerbsEndpoint endpoint, Kind kind) {
    if (deadlines.removeIf(known -> known.endpoint == endpoint && known.kind == kind)) {
      connecting -= kind == Kind.CONNECT ? 1 : 0;
    }
  }

  void forget(VerbsEndpoint endpoint) {
    for (Kind kind : Kind.values()) {
      stop(endpoint, kind);
    }
  }

  boolean isEmpty() {
    return deadlines.isEmpty();
  }

  /** Whether an endpoint is connecting. */
  boolean connecting() {
    return connecting > 0;
  }

  /** Nanoseconds until the first, at least 1; 0 if there is none. */
  long next() {
    long now = System.nanoTime();
    long first = Long.MAX_VALUE;
    for (Deadline deadline : deadlines) {
      first = Math.min(first, Math.max(1, deadline.at - now));
    }
    return first == Long.MAX_VALUE ? 0 : first;
  }

  /** Tells the endpoints whose time is over. */
  void check() {
    long now = System.nanoTime();
    for (Deadline deadline : List.copyOf(deadlines)) {
      if (deadline.at - now <= 0) {
        stop(deadline.endpoint, deadline.kind);
        deadline.endpoint.late(deadline.kind);
      }
    }
  }
}
