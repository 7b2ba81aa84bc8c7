package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

/** A domain of connectionless endpoints, FI_EP_RDM. */
final class RdmFabricDomain extends FabricDomain implements RdmDomain {

  RdmFabricDomain(FabricDevice device) {
    super(device);
  }

  @Override
  boolean connected() {
    return false;
  }

  /** Whether endpoints of one process use each other's memory as it is. */
  boolean sharesMemory() {
    return device().reach() == Device.Reach.HOST;
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    FabricCompletionQueue own = own(queue);
    if (!own.isFree()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device().name()
        + ": the completion queue has a connectionless endpoint already; make a queue for each");
    }
    EndpointAddress source = sharesMemory() ? name(local) : local;
    checkRoom();
    try (FabricInfo info = device().info().copy()) {
      return new RdmFabricEndpoint(this, own, source == null ? info : info.source(source));
    }
  }

  private static EndpointAddress name(EndpointAddress chosen) {
    if (chosen == null) {
      return SharedMemoryNames.next();
    }
    EndpointAddress name = SharedMemoryNames.plain(chosen);
    LocalEndpoints.checkFree(name);
    return name;
  }
}
