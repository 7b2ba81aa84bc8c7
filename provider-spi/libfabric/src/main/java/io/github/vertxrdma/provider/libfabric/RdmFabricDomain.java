package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

final class RdmFabricDomain extends FabricDomain implements RdmDomain {

  RdmFabricDomain(FabricDevice device) {
    super(device);
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    FabricCompletionQueue own = own(queue);
    if (!own.members.isEmpty()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name()
        + ": the completion queue already has a connectionless endpoint. Create a completion queue for each");
    }
    return local == null ? device().listen(address -> open(own, address)) : open(own, local);
  }

  private RdmEndpoint open(FabricCompletionQueue own, EndpointAddress local) {
    try (FiInfo info = device().info.copy()) {
      return new RdmFabricEndpoint(this, own, local == null ? info : info.source(local));
    }
  }
}
