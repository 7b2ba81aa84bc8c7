package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;

/** Posts that may be refused, and an end that may not be heard. */
final class FaultyEndpoint extends ForwardingEndpoint {
  private final Faults faults;
  private final FaultyQueue queue;
  private final ForwardingDomain domain;
  private ProviderException failure;
  private int untold;
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

  /** Work whose end the device behind told and this side did not hear, or not yet. */
  void untold(int change) {
    untold += change;
  }

  /** A completion was turned into an error, which ends the connection. */
  void fail(int status) {
    failure = new ProviderException(ProviderException.Reason.OTHER, domain.device().name() + ": " + Status.name(status)
      + ", a fault that a test asked for");
    raw().disconnect();
  }

  @Override
  protected void heardDisconnected(ProviderException cause) {
    if (faults.silent(this) && !ended) {
      return;
    }
    queue.end(this, () -> super.heardDisconnected(failure != null ? failure : cause));
  }

  @Override
  public ProviderException failure() {
    return failure != null ? failure : super.failure();
  }

  /** A silent peer's endpoint looks connected until this side ends it. */
  @Override
  public EndpointState state() {
    EndpointState state = super.state();
    return state == EndpointState.BROKEN && faults.silent(this) && !ended ? EndpointState.CONNECTED : state;
  }

  @Override
  public int post(WorkRequest request) {
    return faults.refusesPost() ? Status.AGAIN : sunk(super.post(request));
  }

  /** The fate of a post to a peer that is gone without anybody knowing: accepted, and never heard of. */
  private int sunk(int status) {
    if (status == Status.NOT_CONNECTED && state() == EndpointState.CONNECTED) {
      if (untold >= sendDepth()) {
        return Status.AGAIN;
      }
      untold++;
      return Status.OK;
    }
    return status;
  }

  @Override
  public int outstanding() {
    return super.outstanding() + (closed ? 0 : untold);
  }

  @Override
  public void disconnect() {
    hearAgain(new ProviderException(ProviderException.Reason.DISCONNECTED, domain.device().name() + ": disconnected by this side"));
    super.disconnect();
  }

  @Override
  public void peerDead(String reason) {
    hearAgain(new ProviderException(ProviderException.Reason.DISCONNECTED, domain.device().name() + ": the peer is dead: " + reason));
    super.peerDead(reason);
  }

  /** This side ends it: if the device behind ended before, its news were not told and will not come again. */
  private void hearAgain(ProviderException cause) {
    if (faults.silent(this) && !ended) {
      ended = true;
      if (raw().state() == EndpointState.BROKEN) {
        failure = cause;
        super.heardDisconnected(cause);
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
