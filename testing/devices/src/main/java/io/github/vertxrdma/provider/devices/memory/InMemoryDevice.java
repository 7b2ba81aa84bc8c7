package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;

/** @param node name of the node for {@link InMemoryFabric#cut}; empty if it has none */
record InMemoryDevice(InMemoryFabric memory, EndpointType endpointType, String name, Capabilities capabilities, Limits limits, String node)
  implements
    Device {

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
  public Domain open() {
    return new InMemoryDomain(this, this);
  }

  @Override
  public String toString() {
    return name;
  }
}
