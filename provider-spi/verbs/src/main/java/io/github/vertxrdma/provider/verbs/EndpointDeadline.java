package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.base.Deadline;
import java.util.concurrent.TimeUnit;

/** Deadline of a task of an endpoint. Confined to the thread of its completion queue. */
final class EndpointDeadline extends Deadline {
  enum Kind {
    CONNECT(0),
    /** Time of the next attempt to connect. */
    PROBE(0),
    /** Time in which an event that explains flushed work may follow. */
    EXPLAIN(500),
    /** Time in which the device must return all posted work; siw sometimes does not. */
    FLUSH(1000),
    /** Time for IBV_EVENT_QP_LAST_WQE_REACHED, which not every device reports. */
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
