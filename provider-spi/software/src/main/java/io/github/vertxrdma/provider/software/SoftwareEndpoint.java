package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;

/** An endpoint as its queues see it. */
public interface SoftwareEndpoint extends Endpoint {

  /** Whether receives may be posted on its own queue. */
  boolean receives();

  /** Whether a completion that waits to be drained is to be dropped, since the endpoint was closed meanwhile. */
  boolean silent(Operation operation);

  /** A completion was drained. */
  void drained(Operation operation);

  /** A receive is there for the message that waited for one: goes on with it in the next poll. */
  void receivePosted();
}
