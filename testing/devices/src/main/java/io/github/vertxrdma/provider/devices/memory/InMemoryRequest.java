package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connect on its way to a listener, and the connection request that the listener receives. */
final class InMemoryRequest implements ConnectionRequest, Arrival {
  private final InMemoryEndpoint connector;
  private final InMemoryListener listener;
  private final byte[] privateData;
  private final Way way;
  private final AtomicBoolean answered = new AtomicBoolean();
  private InMemoryEndpoint endpoint;

  InMemoryRequest(InMemoryEndpoint connector, InMemoryListener listener, byte[] privateData) {
    this.connector = connector;
    this.listener = listener;
    this.privateData = privateData;
    this.way = connector.wayTo(listener.domain);
  }

  /** Sends the request. @return false if the listener is closed */
  boolean send() {
    return way.carry(Courier.Cargo.CONNECTION, listener.queue, this);
  }

  @Override
  public void arrive() {
    listener.requested(this);
  }

  @Override
  public void bounce() {
    refuse();
  }

  /** Refuses the request because the listener is closed. */
  void refuse() {
    if (answered.compareAndSet(false, true)) {
      listener.answered(this);
      way.back().carry(Courier.Cargo.CONNECTION, connector.queue,
        () -> connector.refused(ProviderException.Reason.REFUSED, "nobody listens there", null));
    }
  }

  void rejectUnanswered() {
    if (answered.compareAndSet(false, true)) {
      listener.answered(this);
      sendReject(new byte[0]);
    }
  }

  private void sendReject(byte[] data) {
    way.back().carry(Courier.Cargo.CONNECTION, connector.queue,
      () -> connector.refused(ProviderException.Reason.REJECTED, "the peer rejected the connection", data));
  }

  @Override
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return connector.localAddress();
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (endpoint != null) {
      throw new IllegalStateException("the request has an endpoint already");
    }
    endpoint = listener.domain.endpoint(queue, options, handler);
    endpoint.acceptable(listener.localAddress(), connector.localAddress());
    return endpoint;
  }

  @Override
  public void accept(byte[] data) {
    if (endpoint == null) {
      throw new IllegalStateException("make the endpoint before accepting");
    }
    if (endpoint.state() != EndpointState.INIT) {
      throw new IllegalStateException("the request cannot be accepted with an endpoint that is " + endpoint.state() + ": reject it");
    }
    listener.domain.checkPrivateData(data);
    answer();
    endpoint.accept(connector, data.clone());
  }

  @Override
  public void reject(byte[] data) {
    listener.domain.checkPrivateData(data);
    answer();
    sendReject(data.clone());
  }

  private void answer() {
    if (!answered.compareAndSet(false, true)) {
      throw new IllegalStateException("the request was answered already");
    }
    listener.answered(this);
  }
}
