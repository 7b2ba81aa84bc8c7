package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;

final class FaultyEndpoint extends ForwardingEndpoint {
  private final Faults faults;
  private final FaultyQueue queue;
  /** Number of completions that the queue holds back. */
  private int undelivered;
  private boolean closed;

  FaultyEndpoint(ForwardingDomain domain, Faults faults, FaultyQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(domain, queue, options, handler);
    this.faults = faults;
    this.queue = queue;
  }

  void undelivered(int change) {
    undelivered += change;
  }

  @Override
  protected void onDisconnected(ProviderException cause) {
    queue.end(this, () -> super.onDisconnected(cause));
  }

  @Override
  public int post(WorkRequest request) {
    return faults.refusesPost() ? Status.AGAIN : super.post(request);
  }

  @Override
  public int outstanding() {
    return super.outstanding() + (closed ? 0 : undelivered);
  }

  @Override
  public void close() {
    if (!closed) {
      super.close();
      closed = true;
      queue.remove(this);
    }
  }
}
