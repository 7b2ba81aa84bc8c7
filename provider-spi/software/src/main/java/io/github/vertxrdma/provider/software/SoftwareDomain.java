package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ReceiveQueue;

/** An opened device with connected endpoints. */
public abstract class SoftwareDomain<Q extends SoftwareQueue, R extends SoftwareRegion> extends SoftwareResources<Q, R> implements Domain {

  /** @param kind class of the completion queues */
  protected SoftwareDomain(Device device, Class<Q> kind, RegionTable.Maker<R> maker) {
    super(device, device.capabilities(), device.limits(), kind, maker);
  }

  @Override
  public final ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    Q own = own(queue);
    SoftwareReceives receives = new SoftwareReceives(own, own.completions(), regions(), Math.clamp(depth, 1, limits().receiveDepth()), null,
      capabilities().receivesInPlace());
    return own.add(receives.onClose(() -> own.remove(receives)));
  }
}
