package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;

final class FaultyEndpoint extends ForwardingEndpoint {
  private final Faults faults;
  private final FaultyQueue queue;
  private final ForwardingDomain domain;
  private ProviderException failure;
  private int undelivered;
  private boolean ended;
  private boolean closed;

  FaultyEndpoint(ForwardingDomain domain, Faults faults, FaultyQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(domain, queue, options, handler);
    this.domain = domain;
    this.faults = faults;
    this.queue = queue;
  }

  FaultyReceives receives() {
    return (FaultyReceives) receiveQueue();
  }

  void undelivered(int change) {
    undelivered += change;
  }

  void fail(int status) {
    failure = new ProviderException(ProviderException.Reason.OTHER, domain.device().name() + ": " + Status.name(status)
      + ", a fault that a test asked for");
    raw().disconnect();
  }

  @Override
  protected void onDisconnected(ProviderException cause) {
    if (faults.silent(this) && !ended) {
      return;
    }
    queue.end(this, () -> super.onDisconnected(failure != null ? failure : cause));
  }

  @Override
  public ProviderException failure() {
    return failure != null ? failure : super.failure();
  }

  /** The endpoint of a silent peer looks connected until this side ends the connection. */
  @Override
  public EndpointState state() {
    EndpointState state = super.state();
    return state == EndpointState.BROKEN && faults.silent(this) && !ended ? EndpointState.CONNECTED : state;
  }

  @Override
  public int post(WorkRequest request) {
    return faults.refusesPost() ? Status.AGAIN : sunk(super.post(request));
  }

  /** Accepts posts after the connection of a silent peer has ended. They never complete. */
  private int sunk(int status) {
    if (status == Status.NOT_CONNECTED && state() == EndpointState.CONNECTED) {
      if (undelivered >= sendDepth()) {
        return Status.AGAIN;
      }
      undelivered++;
      return Status.OK;
    }
    return status;
  }

  @Override
  public int outstanding() {
    return super.outstanding() + (closed ? 0 : undelivered);
  }

  @Override
  public void disconnect() {
    reportEnd(new ProviderException(ProviderException.Reason.DISCONNECTED, domain.device().name() + ": disconnected by this side"));
    super.disconnect();
  }

  @Override
  public void peerDead(String reason) {
    reportEnd(new ProviderException(ProviderException.Reason.DISCONNECTED, domain.device().name() + ": the peer is dead: " + reason));
    super.peerDead(reason);
  }

  /** Reports the end now if the wrapped endpoint's connection ended earlier, because that was not reported. */
  private void reportEnd(ProviderException cause) {
    if (faults.silent(this) && !ended) {
      ended = true;
      if (raw().state() == EndpointState.BROKEN) {
        failure = cause;
        super.onDisconnected(cause);
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      super.close();
      closed = true;
      queue.remove(this);
      faults.forget(this);
    }
  }
}
