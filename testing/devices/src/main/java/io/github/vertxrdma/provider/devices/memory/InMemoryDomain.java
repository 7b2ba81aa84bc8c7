package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;

/** A protection domain of an in-memory fabric. */
final class InMemoryDomain extends InMemoryResources implements Domain {
  private final InMemoryDevice device;

  InMemoryDomain(InMemoryDevice device) {
    super(device.memory(), device, device.capabilities(), device.limits());
    this.device = device;
  }

  /** Returns the name of the node that has the domain, or an empty string. */
  String node() {
    return device.node();
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    if (!capabilities().sharedReceive()) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device.name() + " has no shared receive queues");
    }
    return new Receives(own(queue), this, Math.clamp(depth, 1, limits().receiveDepth()), null);
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    if (!capabilities().connectsBy(Capabilities.Connecting.LISTENER)) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED,
        device.name() + " has no listeners: connect its endpoints by exchange");
    }
    return new InMemoryListener(this, own(queue), local, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return endpoint(queue, options, handler);
  }

  @Override
  public Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (!capabilities().connectsBy(Capabilities.Connecting.EXCHANGE)) {
      return Domain.super.createExchangedEndpoint(queue, options, handler);
    }
    return new InMemoryEndpoint(this, own(queue), options, handler, true);
  }

  InMemoryEndpoint endpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new InMemoryEndpoint(this, own(queue), options, handler, false);
  }
}
