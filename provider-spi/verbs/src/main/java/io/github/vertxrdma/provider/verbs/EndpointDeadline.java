package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.base.Deadline;
import java.util.concurrent.TimeUnit;

/** The time by which an endpoint must have done something. Confined to the thread of its completion queue. */
final class EndpointDeadline extends Deadline {
  /** A task that an endpoint is to do in time. */
  enum Kind {
    /** Connect; within the time of its options. */
    CONNECT(0),
    /** Post a further empty write, while connecting by an exchange; after pauses of its own. */
    PROBE(0),
    /** Report why it flushes work: the event of the connection manager or an asynchronous one comes a little later. */
    EXPLAIN(500),
    /** Give back all that was posted, after the endpoint broke: siw at times forgets some of it. */
    FLUSH(1000),
    /** Take the last receive of a shared queue, after the endpoint broke: not every device reports that it did. */
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
