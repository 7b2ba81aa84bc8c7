package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.base.Deadline;
import java.util.concurrent.TimeUnit;

/** Deadline of a task of an endpoint. Confined to the thread of its completion queue. */
final class EndpointDeadline extends Deadline {
  enum Kind {
    CONNECT(0),
    /** Try again to connect. */
    PROBE(0),
    /** Report why it flushes work: that event comes a little later. */
    EXPLAIN(500),
    /** Return everything that was posted: siw sometimes forgets some of it. */
    FLUSH(1000),
    /** Take the last receive of a shared queue: not every device reports it. */
    LAST_RECEIVE(1000);

    final long nanos;

    Kind(long millis) {
      nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }
  }

  private final VerbsEndpoint endpoint;
  final Kind kind;

  EndpointDeadline(VerbsEndpoint endpoint, Kind kind) {
    this.endpoint = endpoint;
    this.kind = kind;
  }

  @Override
  protected void expired() {
    endpoint.queue().events().stopped(this);
    endpoint.late(kind);
  }
}
