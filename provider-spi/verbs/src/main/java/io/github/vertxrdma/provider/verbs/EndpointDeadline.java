package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.base.Deadline;
import java.util.concurrent.TimeUnit;

final class EndpointDeadline extends Deadline {
  enum Kind {
    CONNECT(0),
    /** Time of the next attempt to connect, or of the next empty write of an {@link ExchangedConnection}. */
    RETRY(0),
    /** Maximum wait for an event that explains why the device flushed work requests. */
    EXPLAIN(500),
    /** Maximum wait for the completions of all posted work requests. The driver siw sometimes omits some. */
    FLUSH(1000);

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
    endpoint.queue.events.stopped(this);
    endpoint.late(kind);
  }
}
