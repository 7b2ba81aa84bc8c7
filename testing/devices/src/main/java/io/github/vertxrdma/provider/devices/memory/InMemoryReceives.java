package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import io.github.vertxrdma.provider.software.SoftwareReceives;

/** Posted receives, some of which the fabric's courier refuses. */
final class InMemoryReceives extends SoftwareReceives {
  private final InMemoryDomain domain;

  InMemoryReceives(InMemoryDomain domain, SoftwareQueue queue, int capacity, SoftwareEndpoint owner) {
    super(queue, queue.completions(), domain.regions(), capacity, owner, domain.capabilities().receivesInPlace());
    this.domain = domain;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    int refusal = domain.refusal(Operation.RECEIVE);
    return refusal == Status.OK ? super.post(requestId, region, offset, length) : refusal;
  }
}
