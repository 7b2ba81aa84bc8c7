package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.software.SoftwareListener;

final class InMemoryListener extends SoftwareListener<InMemoryQueue> {
  final InMemoryDomain domain;
  private final EndpointAddress address;

  InMemoryListener(InMemoryDomain domain, InMemoryQueue queue, EndpointAddress local, ListenHandler handler) {
    super(queue, handler);
    this.domain = domain;
    address = domain.fabric().bind(domain.fabric().listeners, local, this);
  }

  boolean take(InMemoryRequest request) {
    if (!isClosed()) {
      add(request);
    }
    return !isClosed();
  }

  @Override
  public EndpointAddress localAddress() {
    return address;
  }

  @Override
  protected void release() {
    domain.fabric().listeners.remove(address, this);
  }
}
