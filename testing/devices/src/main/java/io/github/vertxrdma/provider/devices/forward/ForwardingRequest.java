package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;

final class ForwardingRequest implements ConnectionRequest {
  private final ForwardingDomain domain;
  private final ConnectionRequest raw;

  ForwardingRequest(ForwardingDomain domain, ConnectionRequest raw) {
    this.domain = domain;
    this.raw = raw;
  }

  @Override
  public byte[] privateData() {
    return raw.privateData();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return raw.remoteAddress();
  }

  @Override
  public byte[] channelBinding() {
    return raw.channelBinding();
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return domain.accepted(raw, queue, options, handler);
  }

  @Override
  public void accept(byte[] privateData) {
    raw.accept(privateData);
  }

  @Override
  public void reject(byte[] privateData) {
    raw.reject(privateData);
  }
}
