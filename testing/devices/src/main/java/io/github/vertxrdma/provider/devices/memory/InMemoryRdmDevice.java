package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.rdm.RdmLayer;

/** Adds the connection layer to a device with connectionless endpoints. */
final class InMemoryRdmDevice extends ForwardingDevice implements RdmDevice {
  private final InMemoryDevice raw;

  InMemoryRdmDevice(InMemoryDevice raw) {
    super(raw, raw.name());
    this.raw = raw;
  }

  @Override
  protected Capabilities change(Capabilities capabilities) {
    return RdmLayer.capabilities(capabilities);
  }

  @Override
  protected Limits change(Limits limits) {
    return RdmLayer.limits(limits);
  }

  @Override
  public RdmDomain openRdm() {
    return new InMemoryRdmDomain(this);
  }

  @Override
  public Domain open() {
    return RdmDevice.super.open();
  }

  private static final class InMemoryRdmDomain extends InMemoryDomain implements RdmDomain {
    InMemoryRdmDomain(InMemoryRdmDevice device) {
      super(device.raw, device);
    }

    @Override
    public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
      InMemoryQueue own = own(queue);
      return own.add(new InMemoryRdmEndpoint(this, own, local));
    }
  }
}
