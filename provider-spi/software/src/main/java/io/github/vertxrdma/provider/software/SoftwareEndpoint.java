package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;

/** An endpoint and its receives, as its queues see it. */
public abstract class SoftwareEndpoint extends AbstractEndpoint {
  private final PostedReceives receives;

  protected SoftwareEndpoint(SoftwareQueue queue, EndpointOptions options) {
    super(queue);
    receives = options.receiveQueue() != null ? PostedReceives.shared(options, queue)
      : new PostedReceives(queue, queue.completions(), queue.owner().regions(),
        Math.clamp(options.receiveDepth(), 1, queue.owner().limits().receiveDepth()), this,
        queue.owner().capabilities().receivesInPlace());
  }

  @Override
  public final PostedReceives receiveQueue() {
    return receives;
  }

  /** Whether receives may be posted on its own queue. */
  final boolean receives() {
    EndpointState state = state();
    return state != EndpointState.BROKEN && state != EndpointState.CLOSED;
  }

  /** Whether a completion that waits to be drained is to be dropped, since the endpoint was closed meanwhile. */
  final boolean silent(Operation operation) {
    return state() == EndpointState.CLOSED && !(operation == Operation.RECEIVE && receives.shared());
  }

  /** A completion was drained. */
  final void drained(Operation operation) {
    if (operation != Operation.RECEIVE && operation != Operation.REMOTE_WRITE) {
      sendDrained();
    }
  }

  /** The completion of an operation that was posted was drained: its place is free. */
  protected abstract void sendDrained();
}
