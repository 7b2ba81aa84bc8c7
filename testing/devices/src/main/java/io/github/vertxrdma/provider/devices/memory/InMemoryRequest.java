package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.software.SoftwareRequest;

/** A connection request, created by the connector and delivered to the listener. */
final class InMemoryRequest extends SoftwareRequest<InMemoryEndpoint> implements Arrival {
  private final InMemoryEndpoint connector;
  private final InMemoryListener listener;
  private final byte[] connectData;
  private final ParcelPath path;

  InMemoryRequest(InMemoryEndpoint connector, InMemoryListener listener, byte[] connectData) {
    super(listener);
    this.connector = connector;
    this.listener = listener;
    this.connectData = connectData;
    path = connector.pathTo(listener.domain);
  }

  void send() {
    path.carry(Courier.Cargo.CONNECTION, listener.queue(), this);
  }

  @Override
  public void arrive() {
    if (listener.take(this)) {
      complete(connectData);
    } else {
      abandon();
    }
  }

  @Override
  public void bounce() {
    abandon();
  }

  private void answer(Arrival answer) {
    path.back().carry(Courier.Cargo.CONNECTION, connector.queue, answer);
  }

  @Override
  public EndpointAddress remoteAddress() {
    return connector.localAddress();
  }

  @Override
  protected InMemoryEndpoint newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    InMemoryEndpoint endpoint = (InMemoryEndpoint) listener.domain.createEndpoint(queue, options, handler);
    endpoint.acceptable(listener.localAddress(), connector.localAddress());
    return endpoint;
  }

  @Override
  protected void accept(InMemoryEndpoint endpoint, byte[] data) {
    endpoint.accept(connector, data.clone());
  }

  @Override
  protected void refuse(byte[] data) {
    byte[] own = data.clone();
    answer(() -> connector.rejected(own));
  }

  @Override
  protected void hangUp() {
    answer(connector::refused);
  }
}
