package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

final class InMemoryRdmDomain extends InMemoryDomain implements RdmDomain {
  InMemoryRdmDomain(InMemoryRdmDevice device) {
    super(device.raw(), device);
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    InMemoryQueue own = own(queue);
    return own.add(new InMemoryRdmEndpoint(this, own, local));
  }
}
