package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

/** A protection domain for datagram endpoints of an in-memory fabric. */
final class InMemoryRdmDomain extends InMemoryResources implements RdmDomain {

  InMemoryRdmDomain(InMemoryRdmDevice device) {
    super(device.memory(), device, device.rawCapabilities(), device.rawLimits());
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    return new InMemoryRdmEndpoint(this, own(queue), local);
  }
}
