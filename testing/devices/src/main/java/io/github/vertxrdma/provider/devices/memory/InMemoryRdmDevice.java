package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.rdm.RdmLayer;

/** @param raw the device without the connection layer */
record InMemoryRdmDevice(InMemoryDevice raw) implements RdmDevice {

  @Override
  public String name() {
    return raw.name();
  }

  @Override
  public Capabilities capabilities() {
    return RdmLayer.capabilities(raw.capabilities());
  }

  @Override
  public Limits limits() {
    return RdmLayer.limits(raw.limits());
  }

  @Override
  public String provider() {
    return raw.provider();
  }

  @Override
  public Reach reach() {
    return raw.reach();
  }

  @Override
  public Preference preference() {
    return raw.preference();
  }

  @Override
  public RdmDomain openRdm() {
    return new InMemoryRdmDomain(this);
  }

  @Override
  public String toString() {
    return name();
  }

  private static final class InMemoryRdmDomain extends InMemoryDomain implements RdmDomain {
    InMemoryRdmDomain(InMemoryRdmDevice device) {
      super(device.raw(), device);
    }

    @Override
    public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
      InMemoryQueue own = own(queue);
      return own.add(new InMemoryRdmEndpoint(this, own, local));
    }
  }
}
