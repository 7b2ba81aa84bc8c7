package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmLayer;

/**
 * A device of an in-memory fabric with connectionless endpoints.
 *
 * @param rawCapabilities the capabilities of the endpoints, without the connection layer
 * @param rawLimits the limits of the endpoints
 */
record InMemoryRdmDevice(InMemoryFabric memory, String name, Capabilities rawCapabilities, Limits rawLimits) implements RdmDevice {

  @Override
  public Capabilities capabilities() {
    return RdmLayer.capabilities(rawCapabilities);
  }

  @Override
  public Limits limits() {
    return RdmLayer.limits(rawLimits);
  }

  @Override
  public String provider() {
    return InMemoryProvider.NAME;
  }

  @Override
  public Reach reach() {
    return Reach.PROCESS;
  }

  @Override
  public Preference preference() {
    return Preference.TRIAL;
  }

  @Override
  public RdmDomain openRdm() {
    return new InMemoryRdmDomain(this);
  }

  @Override
  public String toString() {
    return name;
  }
}
